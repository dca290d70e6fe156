import { byLine, lineExtractor } from "./lines";

/** Plain text: an empty line ends a paragraph, other line ends are spaces. */
export const extractPlain = lineExtractor((paragraphs) =>
  byLine((line) => {
    if (line.trim() === "") return paragraphs.end();
    paragraphs.add(line);
    paragraphs.space();
  }),
);
