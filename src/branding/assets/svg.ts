import { SaxesParser } from "saxes";
import type { Pieces } from "../../platform/pace";
import {
  MAX_DRAWN_SVG_ELEMENTS,
  MAX_SVG_DEPTH,
  MAX_SVG_ELEMENTS,
  MAX_SVG_FORM_WORK,
  MAX_SVG_LAYERS,
  MAX_SVG_STYLE_WORK,
} from "../limits";
import { givenTo, layersOf, layersOfStyles } from "./svg-layers";

const SVG = "http://www.w3.org/2000/svg";
/** Refused effects: their cost grows with a radius, octaves or light sources. A logo does not need them. */
const EFFECTS = new Set(["filter", "feimage", "foreignobject"]);

/**
 * Characters of a path that cost as much as one element when it is filled. A stroke costs five times, and a dashed one
 * twenty-five times as much.
 */
const CHARACTERS_PER_ELEMENT = 8;

interface SvgFile {
  kind: "svg";
  /** Whether it has text elements. Previews are drawn without fonts. */
  hasText: boolean;
}

/** The reason why an SVG is refused. */
interface RefusedSvg {
  kind: "refused";
  why: string;
}

/**
 * Checks whether bytes are a well-formed SVG document that can be drawn at a bounded cost.
 * @returns null if the bytes do not begin like an SVG.
 */
export function* readSvg(bytes: Uint8Array): Pieces<SvgFile | RefusedSvg | null> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
  if (!/^\s*<(?:\?xml|!--|!DOCTYPE\s+svg|svg[\s>])/i.test(text)) return null;
  const refused = (why: string): RefusedSvg => ({ kind: "refused", why });
  if (/<!ENTITY/i.test(text)) return refused("it declares entities");
  const strokeWeight = /stroke-dasharray\s*[:=]\s*["']?\s*[\d.]/.test(text)
    ? 25
    : /stroke\s*[:=](?!\s*["']?\s*none)/.test(text)
      ? 5
      : 1;
  const seen = { root: null as string | null, elements: 0, hasText: false, effects: false };
  const [parts, layers] = [new ElementGroups(), new ElementGroups()];
  const styled = yield* layersOfStyles(text);
  const parser = new SaxesParser({ xmlns: true });
  parser.on("opentag", ({ uri, local, attributes }) => {
    seen.root ??= uri === SVG ? local : "";
    seen.elements += 1;
    if (seen.elements > MAX_SVG_ELEMENTS) throw new SvgLimitExceeded(`it has more than ${MAX_SVG_ELEMENTS} elements`);
    const name = local.toLowerCase();
    if (name === "text") seen.hasText = true;
    isInStyle = name === "style";
    if (EFFECTS.has(name)) seen.effects = true;
    const all = Object.values(attributes).map(({ local: key, value }) => ({ key, value }));
    const named = all.flatMap(({ key, value }) => [
      ...(key === "href" && value.startsWith("#") ? [value.slice(1)] : []),
      ...[...value.matchAll(/url\(\s*["']?#([^"')]+)/g)].map(([, target = ""]) => target),
    ]);
    const drawn = all.reduce((sum, { key, value }) => sum + (key === "d" || key === "points" ? value.length : 0), 0);
    const weight = 1 + Math.floor((drawn * strokeWeight) / CHARACTERS_PER_ELEMENT);
    const id = all.find(({ key }) => key === "id")?.value ?? null;
    parts.open(id, named, weight);
    layers.open(id, named, layersOf(all, styled));
    if (parts.depth > MAX_SVG_DEPTH)
      throw new SvgLimitExceeded(`its elements are nested more than ${MAX_SVG_DEPTH} deep`);
  });
  let styles = 0;
  let isInStyle = false;
  parser.on("text", (content) => {
    if (isInStyle) styles += content.length;
  });
  parser.on("cdata", (content) => {
    if (isInStyle) styles += content.length;
  });
  parser.on("closetag", () => {
    isInStyle = false;
    parts.close();
    layers.close();
  });
  try {
    yield* givenTo(parser, text);
  } catch (thrown) {
    return refused(thrown instanceof SvgLimitExceeded ? thrown.message : "it is not well-formed XML");
  }
  if (seen.root !== "svg") return refused("its root is not an svg element");
  if (seen.effects) return refused("it uses filters or foreign objects");
  if (parts.drawn() > MAX_DRAWN_SVG_ELEMENTS)
    return refused("its paths are too long, or its references multiply too often or form a circle");
  if (parts.drawn() * parts.height > MAX_SVG_FORM_WORK) return refused("its elements are nested too deep");
  if (styles * seen.elements > MAX_SVG_STYLE_WORK) return refused("its stylesheet is too long");
  if (layers.drawn() > MAX_SVG_LAYERS)
    return refused("it has too many transparent, masked or clipped parts, or gradients");
  return { kind: "svg", hasText: seen.hasText };
}

/** An SVG exceeds a limit, which the message names. */
class SvgLimitExceeded extends Error {}

/** An element with an id and its content, or all elements with one id. */
interface ElementGroup {
  /** Number of its elements that are in no inner group. */
  own: number;
  /** Nesting of its innermost own element, counted from the group. */
  depth: number;
  /** Inner groups, and the ids that the group refers to, each with the number of elements of the group around it. */
  within: { part: ElementGroup; below: number }[];
  uses: { id: string; below: number }[];
  /** Number of elements that are drawn if every reference is followed. Null during the computation. */
  weight: number | null | undefined;
  /** Nesting of the innermost element if every reference is followed, counted from here. */
  height: number;
}

const newGroup = (): ElementGroup => ({
  own: 0,
  depth: 0,
  within: [],
  uses: [],
  weight: undefined,
  height: 0,
});

/** Counts the drawn elements of an SVG: each element counts once in its group, each group once in the group around it. */
class ElementGroups {
  readonly #root = newGroup();
  readonly #byId = new Map<string, ElementGroup>();
  /** For each open element: its group, and its nesting in the group. */
  readonly #open: { part: ElementGroup; below: number }[] = [];

  get depth(): number {
    return this.#open.length;
  }

  open(id: string | null, uses: readonly string[], weight: number): void {
    let { part, below } = this.#open.at(-1) ?? { part: this.#root, below: 0 };
    if (id !== null) {
      const named = newGroup();
      part.within.push({ part: named, below });
      const all = this.#byId.get(id) ?? newGroup();
      all.within.push({ part: named, below: 0 });
      this.#byId.set(id, all);
      [part, below] = [named, 0];
    }
    part.own += weight;
    below += 1;
    part.depth = Math.max(part.depth, below);
    for (const use of uses) part.uses.push({ id: use, below });
    this.#open.push({ part, below });
  }

  close(): void {
    this.#open.pop();
  }

  /** Number of drawn elements if every reference (`use`, patterns, masks) is followed. Infinity if references form a circle. */
  drawn(): number {
    return this.#weigh(this.#root, 0);
  }

  /** Nesting of the innermost drawn element, after `drawn`. */
  get height(): number {
    return this.#root.height;
  }

  #weigh(part: ElementGroup, above: number): number {
    if (typeof part.weight === "number") return part.weight;
    if (part.weight === null || above > MAX_SVG_DEPTH) return Number.POSITIVE_INFINITY;
    part.weight = null;
    const targets = part.uses.map(({ id, below }) => ({ part: this.#byId.get(id) ?? null, below }));
    let total = part.own;
    part.height = part.depth;
    for (const { part: inner, below } of [...part.within, ...targets]) {
      total += inner === null ? 1 : this.#weigh(inner, above + 1);
      part.height = Math.max(part.height, below + (inner?.height ?? 0));
    }
    part.weight = part.height > MAX_SVG_DEPTH ? Number.POSITIVE_INFINITY : total;
    return part.weight;
  }
}
