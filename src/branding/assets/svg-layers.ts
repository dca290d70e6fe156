import { SaxesParser } from "saxes";
import type { Pieces } from "../../platform/pace";

/** Characters that are given to a parser at once. */
const PIECE = 16 * 1024;

/** Gives a text to a parser piece by piece, and closes it. @throws Error if the text is not well-formed. */
export function* givenTo(parser: Pick<SaxesParser, "write" | "close">, text: string): Pieces<void> {
  for (let at = 0; at < text.length; at += PIECE) {
    parser.write(text.slice(at, at + PIECE));
    yield PIECE;
  }
  parser.close();
}

/** For each class: the number of half layers that an element with this class adds. The empty name means each element. */
export type StyledLayers = ReadonlyMap<string, number>;

/** Costs in halves of a layer: a layer, and a gradient or a pattern. */
const [LAYER, PAINT] = [2, 1];

/** The cost of a property with a value. */
function costOf(property: string, value: string): number {
  switch (property) {
    case "opacity":
    case "fill-opacity":
    case "stroke-opacity":
      return /^\s*(?:1(?:\.0*)?|100%)\s*$/.test(value) ? 0 : property === "opacity" ? LAYER : PAINT;
    case "mask":
    case "clip-path":
    case "mix-blend-mode":
    case "isolation":
      return /^\s*(?:none|normal|auto)\s*$/.test(value) ? 0 : LAYER;
    case "fill":
    case "stroke":
      return value.includes("url(") ? PAINT : 0;
    default:
      return 0;
  }
}

const costOfDeclarations = (declarations: string): number =>
  declarations.split(";").reduce((sum, declaration) => {
    const [property = "", ...value] = declaration.split(":");
    return sum + costOf(property.trim().toLowerCase(), value.join(":").toLowerCase());
  }, 0);

/** A stylesheet without comments, in linear time also if a comment has no end. */
function withoutComments(styles: string): string {
  const [first = "", ...others] = styles.split("/*");
  return [first, ...others.map((piece) => piece.split("*/").slice(1).join("*/"))].join("");
}

/** The costs of the classes of all stylesheets in an SVG. A rule without a class counts for all elements. */
export function* layersOfStyles(svg: string): Pieces<StyledLayers> {
  const costs = new Map<string, number>();
  if (!/<(?:[^\s<>/]+:)?style/i.test(svg)) return costs;
  const parser = new SaxesParser({ xmlns: true });
  let [styles, isInStyle] = ["", false];
  const add = (content: string) => {
    if (isInStyle) styles += content;
  };
  parser.on("opentag", ({ local }) => {
    isInStyle = local.toLowerCase() === "style";
  });
  parser.on("closetag", () => {
    isInStyle = false;
  });
  parser.on("text", add);
  parser.on("cdata", add);
  try {
    yield* givenTo(parser, svg);
  } catch {
    // The caller reads the file again, and refuses it.
    return costs;
  }
  for (const rule of withoutComments(styles).split("}")) {
    const [selectors = "", declarations = ""] = rule.split("{");
    const cost = costOfDeclarations(declarations);
    if (cost === 0) continue;
    for (const selector of selectors.split(",")) {
      const name = /\.([^\s.#:[>+~*]+)/.exec(selector)?.[1] ?? "";
      costs.set(name, (costs.get(name) ?? 0) + cost);
    }
  }
  return costs;
}

/** The halves of layers that an element with these attributes adds. */
export function layersOf(attributes: readonly { key: string; value: string }[], styled: StyledLayers): number {
  let sum = styled.get("") ?? 0;
  for (const { key, value } of attributes) {
    if (key === "style") sum += costOfDeclarations(value);
    else if (key === "class") for (const name of value.split(/\s+/)) sum += name === "" ? 0 : (styled.get(name) ?? 0);
    else sum += costOf(key, value.toLowerCase());
  }
  return sum;
}
