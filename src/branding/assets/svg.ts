import { SaxesParser } from "saxes";
import { MAX_DRAWN_SVG_ELEMENTS, MAX_SVG_DEPTH, MAX_SVG_ELEMENTS } from "./limits";

const SVG = "http://www.w3.org/2000/svg";
/** Effects whose cost grows with radius, octaves or light sources; a mark is drawn without them. */
const EFFECTS = new Set(["filter", "feimage", "foreignobject"]);

export interface SvgFile {
  kind: "svg";
  /** Whether letters stand in it: previews are drawn without fonts. */
  hasText: boolean;
}

/** Why a file is no SVG that can be kept. */
export interface RefusedSvg {
  kind: "refused";
  why: string;
}

/**
 * Judges whether bytes are one well-formed SVG document that can be drawn at a bounded cost. Null for what
 * does not even begin like one.
 */
export function readSvg(bytes: Uint8Array): SvgFile | RefusedSvg | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
  if (!/^\s*<(?:\?xml|!--|!DOCTYPE\s+svg|svg[\s>])/i.test(text)) return null;
  const refused = (why: string): RefusedSvg => ({ kind: "refused", why });
  if (/<!ENTITY/i.test(text)) return refused("it declares entities");
  const seen = { root: null as string | null, elements: 0, hasText: false, effects: false };
  const parts = new ElementGroups();
  const parser = new SaxesParser({ xmlns: true });
  parser.on("opentag", ({ uri, local, attributes }) => {
    seen.root ??= uri === SVG ? local : "";
    seen.elements += 1;
    if (seen.elements > MAX_SVG_ELEMENTS) throw new SvgLimitExceeded(`it has more than ${MAX_SVG_ELEMENTS} elements`);
    const name = local.toLowerCase();
    if (name === "text") seen.hasText = true;
    if (EFFECTS.has(name)) seen.effects = true;
    const all = Object.values(attributes).map(({ local: key, value }) => ({ key, value }));
    const named = all.flatMap(({ key, value }) => [
      ...(key === "href" && value.startsWith("#") ? [value.slice(1)] : []),
      ...[...value.matchAll(/url\(\s*["']?#([^"')]+)/g)].map(([, target = ""]) => target),
    ]);
    parts.open(all.find(({ key }) => key === "id")?.value ?? null, named);
    if (parts.depth > MAX_SVG_DEPTH)
      throw new SvgLimitExceeded(`its elements are nested more than ${MAX_SVG_DEPTH} deep`);
  });
  parser.on("closetag", () => parts.close());
  try {
    parser.write(text).close();
  } catch (thrown) {
    return refused(thrown instanceof SvgLimitExceeded ? thrown.message : "it is no well-formed XML");
  }
  if (seen.root !== "svg") return refused("its root is no svg element");
  if (seen.effects) return refused("it uses filters or foreign objects");
  if (parts.drawn() > MAX_DRAWN_SVG_ELEMENTS) return refused("its references multiply too often, or run in a circle");
  return { kind: "svg", hasText: seen.hasText };
}

/** A bound of what an SVG may hold was passed; the message says which. */
class SvgLimitExceeded extends Error {}

/** An element with an id and what stands in it, or all elements of one id. */
interface ElementGroup {
  /** Elements in it that are in no part within it. */
  own: number;
  /** Parts within it, and ids that it refers to. */
  within: ElementGroup[];
  uses: string[];
  /** Elements that it amounts to when every reference is followed; null while that is being found out. */
  weight: number | null | undefined;
  /** Parts and references from here to the innermost one. */
  height: number;
}

const newGroup = (): ElementGroup => ({ own: 0, within: [], uses: [], weight: undefined, height: 0 });

/** What is drawn of an SVG: each element counts once for the part it stands in, each part once for the one around it. */
class ElementGroups {
  readonly #root = newGroup();
  readonly #byId = new Map<string, ElementGroup>();
  readonly #open: ElementGroup[] = [];

  get depth(): number {
    return this.#open.length;
  }

  open(id: string | null, uses: readonly string[]): void {
    let part = this.#open.at(-1) ?? this.#root;
    if (id !== null) {
      const named = newGroup();
      part.within.push(named);
      const all = this.#byId.get(id) ?? newGroup();
      all.within.push(named);
      this.#byId.set(id, all);
      part = named;
    }
    part.own += 1;
    for (const use of uses) part.uses.push(use);
    this.#open.push(part);
  }

  close(): void {
    this.#open.pop();
  }

  /** Elements that are drawn when every reference (`use`, patterns, masks) is followed; infinite for circles. */
  drawn(): number {
    return this.#weigh(this.#root, 0);
  }

  #weigh(part: ElementGroup, above: number): number {
    if (typeof part.weight === "number") return part.weight;
    if (part.weight === null || above > MAX_SVG_DEPTH) return Number.POSITIVE_INFINITY;
    part.weight = null;
    const targets = part.uses.map((id) => this.#byId.get(id) ?? null);
    let total = part.own;
    for (const inner of [...part.within, ...targets]) {
      total += inner === null ? 1 : this.#weigh(inner, above + 1);
      part.height = Math.max(part.height, 1 + (inner?.height ?? 0));
    }
    part.weight = part.height > MAX_SVG_DEPTH ? Number.POSITIVE_INFINITY : total;
    return part.weight;
  }
}
