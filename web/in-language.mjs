import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The languages of the service, by the list that the Worker reads too. */
export const LANGUAGES = Object.keys(
  JSON.parse(readFileSync(join(import.meta.dirname, "../src/platform/languages/languages.json"), "utf8")),
);

/** The folder of a language's texts. */
const folderOf = (language) => join(import.meta.dirname, "texts", language);

/** The reading direction of a language. */
const directionOf = (language) => {
  const locale = new Intl.Locale(language);
  return (locale.getTextInfo?.() ?? locale.textInfo).direction;
};

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The texts of the HTML of a page in a language. */
export const textsOf = (language, page) => ({
  language,
  direction: directionOf(language),
  ...JSON.parse(readFileSync(join(folderOf(language), "pages.json"), "utf8"))[page],
});

/** HTML with texts in the place of their names in braces. */
export function withTexts(html, language, page) {
  const texts = textsOf(language, page);
  return html.replace(/\{(\w+)\}/g, (_, name) => escaped(texts[name]));
}

/**
 * Builds a page in one language: `#texts` leads to the texts of this language and to no others, and names in braces in the
 * HTML are texts of its `pages.json`.
 * @param {string} language
 * @param {"console" | "share"} page
 * @returns {import("vite").Plugin}
 */
export const inLanguage = (language, page) => ({
  name: "in-language",
  config: () => ({ resolve: { alias: { "#texts": folderOf(language) } } }),
  transformIndexHtml: {
    order: "pre",
    handler: (html) => withTexts(html, language, page),
  },
});
