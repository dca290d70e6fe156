import PostalMime from "postal-mime";
import { MAX_MAIL_LINES, MAX_MAIL_PARTS } from "../../limits";
import { breathe } from "../pace";

/** Work of the parser for a line and for a part, in the characters that other parsers read meanwhile. */
const [WORK_PER_LINE, WORK_PER_PART] = [32, 1024];

/** The steps of the parser of mails that it takes for each line and for each part; its types do not name them. */
interface Steps {
  processLine(line: Uint8Array, isFinal: boolean): Promise<void>;
  collectNode(node: unknown, alternative: unknown, related: boolean): Promise<void>;
}

// The parser makes a parser of its own for each mail within a mail, so all of them pause.
const steps = PostalMime.prototype as unknown as Steps;
const { processLine, collectNode } = steps;
steps.processLine = async function (line, isFinal) {
  await breathe(WORK_PER_LINE + line.length);
  return processLine.call(this, line, isFinal);
};
steps.collectNode = async function (...node) {
  await breathe(WORK_PER_PART);
  return collectNode.apply(this, node);
};

const [LINE_FEED, HYPHEN] = [0x0a, 0x2d];

/**
 * The length of a mail that is parsed, bytes. The parser keeps an object for each line and for each part, so a mail ends after
 * `MAX_MAIL_LINES` lines, and after as many lines that can begin a part as `MAX_MAIL_PARTS`.
 */
export function parsedLength(bytes: Uint8Array): number {
  let [lines, parts] = [0, 0];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] === HYPHEN && bytes[at + 1] === HYPHEN) parts++;
    if (++lines > MAX_MAIL_LINES || parts > MAX_MAIL_PARTS) return at;
    const end = bytes.indexOf(LINE_FEED, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  return bytes.length;
}
