import { type Budget, type Hunk, hunksOf, mergeHunks } from "./sequences";

const byLine = (text: string): string[] => (text === "" ? [] : text.split(/(?<=\n)/));
const byWord = (text: string): string[] => text.match(/\s+|\S+/g) ?? [];

/** A text as words in lines. Equal lines and equal words have equal numbers. */
class Words {
  readonly lines: number[] = [];
  readonly numbers: number[] = [];
  readonly words: string[] = [];
  /** The index of the first word of each line, and then the number of all words. */
  readonly starts: number[] = [];

  constructor(text: string, known: Map<string, number>) {
    const number = (unit: string): number => {
      const found = known.get(unit);
      if (found !== undefined) return found;
      known.set(unit, known.size);
      return known.size - 1;
    };
    for (const line of byLine(text)) {
      this.lines.push(number(line));
      this.starts.push(this.words.length);
      for (const word of byWord(line)) {
        this.words.push(word);
        this.numbers.push(number(word));
      }
    }
    this.starts.push(this.words.length);
  }

  text(from: number, to: number): string {
    return this.words.slice(from, to).join("");
  }
}

/** The changed words: lines are compared first, then the words of changed lines. */
function changesOf(before: Words, after: Words, budget: Budget): Hunk[] {
  return hunksOf(before.lines, after.lines, budget).flatMap((hunk) => {
    const start = before.starts[hunk.start] as number;
    const from = after.starts[hunk.from] as number;
    const [removed, added] = [
      before.numbers.slice(start, before.starts[hunk.end]),
      after.numbers.slice(from, after.starts[hunk.to]),
    ];
    return hunksOf(removed, added, budget).map((inner) => ({
      start: inner.start + start,
      end: inner.end + start,
      from: inner.from + from,
      to: inner.to + from,
    }));
  });
}

/** Merges two changed versions of a text by words; null when both sides changed the same words in different ways. */
export function mergeText(base: string, mine: string, theirs: string, budget: Budget): string | null {
  const known = new Map<string, number>();
  const texts = {
    base: new Words(base, known),
    mine: new Words(mine, known),
    theirs: new Words(theirs, known),
  };
  const isSame = (a: Hunk, b: Hunk): boolean => texts.mine.text(a.from, a.to) === texts.theirs.text(b.from, b.to);
  const ours = changesOf(texts.base, texts.mine, budget);
  const others = changesOf(texts.base, texts.theirs, budget);
  const merged = mergeHunks(texts.base.words.length, ours, others, isSame);
  return merged === null ? null : merged.map(({ of, from, to }) => texts[of].text(from, to)).join("");
}

/** The ranges in which a new text differs from a text, in code units: start, removed length, added text. */
export function rangesOfText(
  from: string,
  to: string,
  budget: Budget,
): [start: number, removed: number, added: string][] {
  const known = new Map<string, number>();
  const [before, after] = [new Words(from, known), new Words(to, known)];
  const ranges: [number, number, string][] = [];
  let [word, at] = [0, 0];
  for (const hunk of changesOf(before, after, budget)) {
    at += before.text(word, hunk.start).length;
    const removed = before.text(hunk.start, hunk.end).length;
    ranges.push([at, removed, after.text(hunk.from, hunk.to)]);
    [word, at] = [hunk.end, at + removed];
  }
  return ranges;
}
