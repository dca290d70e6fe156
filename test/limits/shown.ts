import { afterHeartbeat } from "../../src/cameras/ingestion/device";
import * as cameras from "../../src/cameras/limits";
import { ParagraphBuilder, sectionsOf } from "../../src/documents/extraction/passages";
import { pagesIn, unreadScan } from "../../src/documents/extraction/unread";
import * as documents from "../../src/documents/limits";
import * as hub from "../../src/hub/limits";
import { EarlyPosts } from "../../src/hub/shard/negotiated";
import * as reports from "../../src/reports/limits";
import { readImageValue } from "../../src/reports/rendering/images/resolve";
import { parseTemplate } from "../../src/reports/templating/parse";
import { renderTemplate } from "../../src/reports/templating/render";
import * as search from "../../src/search/limits";
import { parseQuery } from "../../src/search/query";
import { bodyField, sampledTerms } from "../../src/search/text/terms";

/*
 * To add a limit of what is read or shown of a longer list or text, add one row. `shown` gives this number, and returns
 * how many are read or shown. shown.test.ts does the rest: all of the maximum are, and no more of one more.
 */
export interface ShownRow {
  /** The name of the constant. */
  limit: string;
  most: number;
  shown: (count: number) => number | Promise<number>;
}

const LETTERS = "bcdfghjklmnpqrtv";
/** Different words that are no stop words, and that no language shortens to the same stem. */
const words = (count: number, form = (word: string) => word): string =>
  Array.from({ length: count }, (_, n) => {
    const digits = n.toString(16).padStart(4, "0");
    return form(digits.replace(/./g, (digit) => LETTERS[Number.parseInt(digit, 16)] ?? ""));
  }).join(" ");

const gallery = (count: number, helper: string) => {
  const [source, text] = ["htmlLayoutTemplate", `{{${helper}}}`] as const;
  const view = { p: new Array(count).fill("a.jpg") };
  const [part] = renderTemplate({ source, text, nodes: parseTemplate(source, text), view });
  return typeof part === "object" && "gallery" in part ? part.gallery.length : 0;
};

const early = (n: number) =>
  ({
    id: `c${n}`,
    negotiatedAt: 1,
    credential: { userId: "u", kind: "pat", credentialId: "t" },
  }) as unknown as Parameters<EarlyPosts["hold"]>[0];

export const shownRows: readonly ShownRow[] = [
  { limit: "MAX_WORDS", most: search.MAX_WORDS, shown: (n) => parseQuery(words(n)).words.length },
  {
    limit: "MAX_WORDS",
    most: search.MAX_WORDS,
    shown: (n) => parseQuery(words(n, (word) => `-${word}`)).excluded.length,
  },
  { limit: "MAX_WORDS", most: search.MAX_WORDS, shown: (n) => parseQuery(`"${words(n)}"`).phrases[0]?.length ?? 0 },
  {
    limit: "MAX_PHRASES",
    most: search.MAX_PHRASES,
    shown: (n) => parseQuery(words(n, (word) => `"${word} harbour"`)).phrases.length,
  },
  {
    limit: "MAX_TAG_CONDITIONS",
    most: search.MAX_TAG_CONDITIONS,
    shown: (n) => parseQuery(words(n, (word) => `tag:${word}`)).tags.length,
  },
  {
    limit: "MAX_PREFIXES",
    most: search.MAX_PREFIXES,
    shown: (n) => parseQuery(words(n, (word) => `${word}*`)).words.filter(({ prefix }) => prefix).length,
  },
  { limit: "MAX_BODY_WORDS", most: search.MAX_BODY_WORDS, shown: (n) => bodyField(words(n), "english").length },
  {
    limit: "MAX_BODY_WORDS",
    most: 2 * search.MAX_BODY_WORDS,
    // Stop words do not count in the length, so twice the words are read at most.
    shown: (n) => bodyField("the ".repeat(n), "english").terms.split(" ").length,
  },
  {
    limit: "MAX_BODY_WORDS",
    most: search.MAX_BODY_WORDS,
    shown: (n) => sampledTerms(words(n), "english", "m", "b").trim().split(" ").length,
  },
  {
    limit: "MAX_CODES_OF_TEXT",
    most: search.MAX_CODES_OF_TEXT,
    shown: (n) =>
      bodyField(Array.from({ length: n }, (_, at) => `QZ ${1_000 + at}`).join(", "), "english").parts.split(" ").length,
  },
  { limit: "DEFAULT_LIST_IMAGES", most: reports.DEFAULT_LIST_IMAGES, shown: (n) => gallery(n, 'image_list "p"') },
  {
    limit: "MAX_CAPTION_CHARACTERS",
    most: reports.MAX_CAPTION_CHARACTERS,
    shown: (n) => readImageValue({ documentPath: "a.jpg", caption: "x".repeat(n) })?.caption?.length ?? 0,
  },
  {
    limit: "MAX_HELD_CONNECTIONS",
    most: hub.MAX_HELD_CONNECTIONS,
    shown(count) {
      const posts = new EarlyPosts();
      const all = Array.from({ length: count }, (_, n) => early(n));
      const held = all.filter((one) => posts.hold(one, new ArrayBuffer(1)));
      for (const one of all) posts.take(one);
      return held.length;
    },
  },
  {
    limit: "MAX_REMEMBERED_INSTANCES",
    most: cameras.MAX_REMEMBERED_INSTANCES,
    shown(count) {
      let known: ReturnType<typeof afterHeartbeat> | null = null;
      for (let n = 0; n < count; n++) known = afterHeartbeat(known, `instance-${n}`, 1_000 + n);
      return known?.instances?.length ?? 0;
    },
  },
  {
    limit: "MAX_PASSAGES_PER_SECTION",
    most: documents.MAX_PASSAGES_PER_SECTION,
    shown: (count) =>
      sectionsOf(Array.from({ length: count }, (_, chunkIndex) => ({ page: 1, chunkIndex, text: "a" })))[0]?.texts
        .length ?? 0,
  },
  { limit: "MAX_SCAN_PAGES", most: documents.MAX_SCAN_PAGES, shown: (n) => pagesIn(unreadScan(n)) },
  {
    limit: "MAX_PARAGRAPH_LENGTH",
    most: documents.MAX_PARAGRAPH_LENGTH,
    shown(length) {
      const builder = new ParagraphBuilder();
      builder.add("k".repeat(length));
      builder.end();
      return builder.take()[0]?.text.length ?? 0;
    },
  },
];
