import { seeded } from "./metrics.ts";

/** Words of a passage, passages of a document, and distinct content words. */
const [WORDS, PASSAGES, VOCABULARY] = [60, 20, 10_000];
/** The share of function words in English text (Brown corpus: 41 %). */
const FUNCTION_WORDS = "the of and to in a is that for it with as was on be at by this are from or an were which".split(
  " ",
);
const FUNCTION_SHARE = 0.4;

const SYLLABLES =
  "ba be bo da de di do fa fi ga go ha he ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va ve vi vo".split(
    " ",
  );

/** Distinct pronounceable words that the stemmer does not change. */
function makeVocabulary(random: () => number): string[] {
  const words = new Set<string>();
  while (words.size < VOCABULARY) {
    let word = "";
    for (let n = 2 + Math.floor(random() * 3); n > 0; n -= 1)
      word += SYLLABLES[Math.floor(random() * SYLLABLES.length)];
    words.add(`${word}k`);
  }
  return [...words];
}

/** Text with word frequencies by Zipf's law. The first thirty ranks are function words. */
export class Corpus {
  readonly #random: () => number;
  readonly #words: string[];
  readonly #cumulative: Float64Array;

  constructor(seed: number) {
    this.#random = seeded(seed);
    this.#words = makeVocabulary(seeded(1));
    this.#cumulative = new Float64Array(this.#words.length);
    let sum = 0;
    for (let i = 0; i < this.#words.length; i += 1) this.#cumulative[i] = sum += 1 / (i + 30);
  }

  random(): number {
    return this.#random();
  }

  word(): string {
    const wanted = this.#random() * (this.#cumulative.at(-1) ?? 1);
    let [low, high] = [0, this.#words.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#cumulative[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return this.#words[low] ?? "";
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.word()).join(" ");
  }

  /** Passages of one document. */
  passages(count = PASSAGES): string[] {
    return Array.from({ length: count }, () => this.#sentence());
  }

  #sentence(): string {
    const word = () => {
      if (this.#random() >= FUNCTION_SHARE) return this.word();
      return FUNCTION_WORDS[Math.floor(this.#random() * FUNCTION_WORDS.length)] ?? "";
    };
    return Array.from({ length: WORDS }, word).join(" ");
  }
}

export const PASSAGES_PER_DOCUMENT = PASSAGES;
