import { readdirSync } from "node:fs";
import { join } from "node:path";
import { runnerImport } from "vite";

const FOLDER = join(import.meta.dirname, "../../web/texts");
const FIRST = "en";

/** Collects the pairs of an English text and the same text in another language. */
function collect(first, other, pairs) {
  for (const [key, text] of Object.entries(first)) {
    if (typeof text === "string") pairs.set(text, [...(pairs.get(text) ?? []), other[key]]);
    else if (typeof text === "object" && text !== null) collect(text, other[key], pairs);
  }
}

/**
 * Reads the console's texts in a language.
 * @param {string} language
 * @returns {Promise<(text: string) => string[]>} gives what an English text is in the language. It can differ by view.
 */
export async function textsIn(language) {
  const pairs = new Map();
  for (const name of readdirSync(join(FOLDER, FIRST)).filter((file) => file.endsWith(".ts"))) {
    const [first, other] = await Promise.all(
      [FIRST, language].map((each) => runnerImport(join(FOLDER, each, name), { configFile: false, logLevel: "error" })),
    );
    collect(first.module, other.module, pairs);
  }
  return (text) => [...new Set(pairs.get(text) ?? [text])];
}
