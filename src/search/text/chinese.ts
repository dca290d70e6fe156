import traditional from "opencc-js/dict/TSCharacters";

/** The simplified form of each traditional character: OpenCC's table, `traditional simplified …|…`. */
let simplified: Map<string, string> | undefined;

function readTable(): Map<string, string> {
  const table = new Map<string, string>();
  for (const pair of traditional.split("|")) {
    const [from = "", to = from] = pair.split(" ");
    table.set(from, to);
  }
  return table;
}

/** A character as it is compared: simplified. Several traditional characters can have one simplified form. */
export function simplify(character: string): string {
  simplified ??= readTable();
  return simplified.get(character) ?? character;
}
