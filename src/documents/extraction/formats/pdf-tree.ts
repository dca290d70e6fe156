import { latin1 } from "../../../platform/latin1";
import { find } from "./pdf-streams";

const word = (text: string): Uint8Array => new TextEncoder().encode(text);
const [KIDS, OBJECT, OBJECT_STREAM, EMPTY_PAGE] = [word("/Kids"), word("obj"), word("/ObjStm"), word("<<>>")];
const CLOSING_BRACKET = 0x5d;
/** Bytes of one list of kids that are read. */
const LONGEST_KIDS = 1024 * 1024;

/** A node that a page tree names: its number and generation, and where that stands. */
interface Kid {
  name: string;
  at: number;
  length: number;
}

/**
 * Puts an empty page, in a PDF's own bytes, where its page tree names a node that is not there or is no dictionary:
 * pdf.js stops at the first such node, and every page behind it is lost. Nothing moves, so offsets stay right.
 * Files that pack objects into streams are left as they are: what is not seen there may yet be in one of them.
 */
export function mendPageTree(bytes: Uint8Array): void {
  if (find(bytes, OBJECT_STREAM, 0) >= 0) return;
  const kids = kidsOf(bytes);
  const there = dictionariesAmong(bytes, new Set(kids.map(({ name }) => name)));
  for (const { name, at, length } of kids) {
    if (there.has(name)) continue;
    bytes.fill(0x20, at, at + length);
    bytes.set(EMPTY_PAGE, at);
  }
}

/** What all lists of kids name. */
function kidsOf(bytes: Uint8Array): Kid[] {
  const kids: Kid[] = [];
  for (let at = find(bytes, KIDS, 0); at >= 0; ) {
    const end = bytes.indexOf(CLOSING_BRACKET, at);
    if (end < 0) break;
    const list = latin1(bytes.subarray(at, Math.min(end, at + LONGEST_KIDS)));
    if (/^\/Kids\s*\[/.test(list))
      for (const match of list.matchAll(/(\d{1,10})\s+(\d{1,5})\s+R/g))
        kids.push({ name: `${match[1]} ${match[2]}`, at: at + match.index, length: match[0].length });
    at = find(bytes, KIDS, end);
  }
  return kids;
}

/** Those of the named objects that stand somewhere in the file as a dictionary. */
function dictionariesAmong(bytes: Uint8Array, names: ReadonlySet<string>): Set<string> {
  const there = new Set<string>();
  for (let at = find(bytes, OBJECT, 0); at >= 0; at = find(bytes, OBJECT, at + OBJECT.length)) {
    const before = latin1(bytes.subarray(Math.max(0, at - 24), at));
    const [, number, generation] = /(?:^|\D)(\d{1,10})\s+(\d{1,5})\s+$/.exec(before) ?? [];
    const name = `${number} ${generation}`;
    if (!names.has(name)) continue;
    const after = latin1(bytes.subarray(at + OBJECT.length, at + OBJECT.length + 64));
    if (/^\s*(?:<<|%)/.test(after)) there.add(name);
  }
  return there;
}
