import { SaxesParser } from "saxes";
import { MOST_SVG_DRAWN, MOST_SVG_ELEMENTS } from "./limits";

const SVG = "http://www.w3.org/2000/svg";
/** Effects whose cost grows with radius, octaves or light sources; a mark is drawn without them. */
const EFFECTS = new Set(["filter", "feimage", "foreignobject"]);

export interface SvgFile {
  kind: "svg";
  /** Whether letters stand in it: previews are drawn without fonts. */
  hasText: boolean;
}

/** Why a file is no SVG that can be kept. */
export interface NoSvg {
  kind: "refused";
  why: string;
}

/**
 * Judges whether bytes are one well-formed SVG document that can be drawn at a bounded cost. Null for what
 * does not even begin like one.
 */
export function readSvg(bytes: Uint8Array): SvgFile | NoSvg | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
  if (!/^\s*<(?:\?xml|!--|!DOCTYPE\s+svg|svg[\s>])/i.test(text)) return null;
  const refused = (why: string): NoSvg => ({ kind: "refused", why });
  if (/<!ENTITY/i.test(text)) return refused("it declares entities");
  const seen = { root: null as string | null, elements: 0, hasText: false, effects: false };
  /** References (`use`, patterns, masks) by the id of the elements that hold them, to bound what they multiply to. */
  const weights = new Map<string, { own: number; uses: string[] }>();
  const open: { id: string | null }[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("opentag", ({ uri, local, attributes }) => {
    seen.root ??= uri === SVG ? local : "";
    seen.elements += 1;
    if (seen.elements > MOST_SVG_ELEMENTS) throw new Error("too many");
    const name = local.toLowerCase();
    if (name === "text") seen.hasText = true;
    if (EFFECTS.has(name)) seen.effects = true;
    const all = Object.values(attributes).map(({ local: key, value }) => ({ key, value }));
    const id = all.find(({ key }) => key === "id")?.value ?? null;
    open.push({ id });
    const named = all.flatMap(({ key, value }) => [
      ...(key === "href" && value.startsWith("#") ? [value.slice(1)] : []),
      ...[...value.matchAll(/url\(\s*["']?#([^"')]+)/g)].map(([, target = ""]) => target),
    ]);
    for (const { id: holder } of [...open, { id: "" }]) {
      if (holder === null) continue;
      const weight = weights.get(holder) ?? { own: 0, uses: [] };
      weight.own += 1;
      weight.uses.push(...named);
      weights.set(holder, weight);
    }
  });
  parser.on("closetag", () => void open.pop());
  try {
    parser.write(text).close();
  } catch (thrown) {
    const many = thrown instanceof Error && thrown.message === "too many";
    return refused(many ? `it has more than ${MOST_SVG_ELEMENTS} elements` : "it is no well-formed XML");
  }
  if (seen.root !== "svg") return refused("its root is no svg element");
  if (seen.effects) return refused("it uses filters or foreign objects");
  if (drawn(weights) > MOST_SVG_DRAWN) return refused("its references multiply too often, or run in a circle");
  return { kind: "svg", hasText: seen.hasText };
}

/** Elements that are drawn when every reference is followed; infinite for circles. */
function drawn(weights: ReadonlyMap<string, { own: number; uses: readonly string[] }>): number {
  const known = new Map<string, number>();
  const visit = (id: string, above: ReadonlySet<string>): number => {
    const weight = weights.get(id);
    if (weight === undefined) return 1;
    const before = known.get(id);
    if (before !== undefined) return before;
    if (above.has(id) || above.size > 50) return Number.POSITIVE_INFINITY;
    const inside = new Set(above).add(id);
    let total = weight.own;
    for (const target of weight.uses) {
      total += visit(target, inside);
      if (total > MOST_SVG_DRAWN) return Number.POSITIVE_INFINITY;
    }
    known.set(id, total);
    return total;
  };
  return visit("", new Set());
}
