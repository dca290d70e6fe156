/** Number of words of a document that are kept, and the length of the longest one, UTF-16 units. */
const [MAX_OWN_WORDS, MAX_WORD_LENGTH] = [50_000, 60];
/** Share of the words of a page that are frequent English words, from which the page is English. */
const MIN_ENGLISH = 0.6;
/** Rank up to which a word of the list can be a part of a compound, and a word of three letters or fewer in a heading. */
const [MAX_PART_RANK, MAX_SHORT_RANK] = [6_000, 400];
const MIN_PART_LENGTH = 3;
/** Number of letters with wide spacing that are divided on one page. It limits the time for a page. */
export const MAX_GLUED_LETTERS = 5_000;
/** The list has pieces of words that were divided at the end of a line. They are no words. */
const PIECE =
  /^(?:[st]ions?|ments?|ings?|able|ible|ness|less|ful|ted|ting|ist|ism|ish|est|der|den|ter|ver|ger|con|com|per|dis|tive|ture|ance|ence)$/;
/** Words behind the hyphen of a first part whose second part follows later ("Ein- oder Ausbau", "pre- and post-war"). */
const CONJUNCTION =
  /^(?:and|or|nor|to|und|oder|sowie|bzw|bis|wie|als|en|of|och|eller|samt|og|ja|tai|sekä|et|ou|y|o|e)(?![\p{L}\p{M}\p{N}-])/u;
const TOKEN = /[\p{L}\p{M}]+(?:[-\u2010][\p{L}\p{M}]+)*/gu;

/** The words of a document, and of English, which tell how lines and letters belong together. */
export class KnownWords {
  readonly #own = new Set<string>();
  #ranks: ReadonlyMap<string, number> | null = null;

  /** @param readList reads the most frequent English words, one a line, the most frequent first */
  constructor(private readonly readList: () => Promise<string> = async () => "") {}

  /** Learns the words of a line that are not divided. */
  learn(line: string, isContinued: boolean): void {
    for (const { 0: token, index } of line.matchAll(TOKEN)) {
      if (this.#own.size >= MAX_OWN_WORDS) return;
      const end = index + token.length;
      const isDivided = (isContinued && index === 0) || (end === line.length - 1 && HYPHEN_END.test(line));
      if (!isDivided && token.length <= MAX_WORD_LENGTH) this.#own.add(plain(token));
    }
  }

  /** Whether the document contains a word, or the word is a frequent English word. */
  isKnown(word: string): boolean {
    return this.#own.has(plain(word)) || this.#rankOf(plain(word)) < Infinity;
  }

  /** Reads the list of English words once. Without it, only the words of the document are known. */
  async read(): Promise<void> {
    if (this.#ranks !== null) return;
    const words = (await this.readList()).toLowerCase().split("\n").filter(Boolean);
    this.#ranks = new Map(words.map((word, i) => [word, i + 1]));
  }

  /** Whether a page is English. */
  isEnglish(lines: readonly string[]): boolean {
    let [known, all] = [0, 0];
    for (const line of lines)
      for (const [word] of line.matchAll(/\p{L}{2,}/gu)) {
        all++;
        if (this.#ranks?.has(word.toLowerCase())) known++;
      }
    return known > 0 && known >= MIN_ENGLISH * all;
  }

  /** Whether the two parts of a divided word are one word; false if the word has a hyphen there. */
  isOneWord(first: string, second: string, isEnglish: boolean): boolean {
    const joined = plain(first + second);
    if (this.#own.has(joined)) return true;
    if (this.#own.has(plain(`${first}-${second}`))) return false;
    if (!isEnglish) return true;
    if (this.#rankOf(joined) < Infinity) return true;
    return !(this.#isPart(plain(first)) && this.#isPart(plain(second)));
  }

  #isPart(word: string): boolean {
    return word.length >= MIN_PART_LENGTH && !PIECE.test(word) && this.#rankOf(word) <= MAX_PART_RANK;
  }

  /** The rank of a word or of the word that it is a regular form of; Infinity for unknown words. */
  #rankOf(word: string): number {
    let rank = this.#ranks?.get(word) ?? Infinity;
    for (const ending of ["s", "es", "d", "ed", "ing", "ly"]) {
      const bare = word.slice(0, -ending.length);
      if (!word.endsWith(ending) || bare.length < 4) continue;
      for (const form of [bare, `${bare}e`]) rank = Math.min(rank, this.#ranks?.get(form) ?? Infinity);
    }
    return rank;
  }

  /**
   * Divides letters without spaces into words with the lowest cost: few words, known words, frequent words. Letters of a
   * page in another language than English are divided only into words of the document.
   */
  divided(letters: string, isEnglish: boolean): string {
    const text = letters.toLowerCase();
    if (text.length > MAX_WORD_LENGTH || text.length !== letters.length) return letters;
    const best: ({ cost: number; from: number } | undefined)[] = [{ cost: 0, from: 0 }];
    for (let end = 1; end <= text.length; end++)
      for (let from = 0; from < end; from++) {
        const before = best[from];
        if (before === undefined) break;
        const cost = before.cost + this.#costOf(text.slice(from, end), isEnglish);
        if (cost < (best[end]?.cost ?? Infinity)) best[end] = { cost, from };
      }
    const words: string[] = [];
    for (let end = text.length; end > 0; end = best[end]?.from ?? 0)
      words.unshift(letters.slice(best[end]?.from ?? 0, end));
    return words.join(" ");
  }

  /** The cost of a word: at most some 30 for a known one, and more for each letter of an unknown one. */
  #costOf(word: string, isEnglish: boolean): number {
    const unknown = 40 + 5 * word.length;
    if (word.length > 2 && this.#own.has(word)) return 20;
    if (!isEnglish || PIECE.test(word) || (word.length === 1 && word !== "a")) return unknown;
    const rank = this.#rankOf(word);
    return word.length <= 3 && rank > MAX_SHORT_RANK ? unknown : Math.min(unknown, 20 + Math.log(rank));
  }
}

const HYPHEN_END = /\p{L}[-\u2010]$/u;
const plain = (word: string): string => word.toLowerCase().replaceAll("\u2010", "-");

/** Whether a line ends with a divided word or with the first part of a compound. */
export const endsWithHyphen = (line: string): boolean => HYPHEN_END.test(line);

/** What happens to a hyphen at the end of a line: it goes, stays, or stays with a space behind it. */
type HyphenFate = "goes" | "stays" | "spaced";

/**
 * Decides about the hyphen between two lines.
 * @param before the line that ends with a hyphen
 */
export function hyphenFate(before: string, line: string, words: KnownWords, isEnglish: boolean): HyphenFate {
  const tail = /\S*$/.exec(before.slice(-MAX_WORD_LENGTH))?.[0].slice(0, -1) ?? "";
  const first = /[\p{L}\p{M}]+$/u.exec(tail)?.[0] ?? "";
  const second = /^[\p{L}\p{M}]+/u.exec(line.slice(0, MAX_WORD_LENGTH))?.[0] ?? "";
  const isCapital = /^\p{Lu}{3,}$/u.test(first) && /^\p{Lu}{3,}$/u.test(second);
  if (!isCapital && !/^\p{Ll}/u.test(second)) return "spaced";
  if (CONJUNCTION.test(line)) return "spaced";
  // Addresses, codes ("X-ray", "n-type"), and compounds of more than two parts keep their hyphens.
  if (/[@/.\d]/.test(tail) || [...first].length === 1 || (!isCapital && /\p{Lu}$/u.test(first))) return "stays";
  return words.isOneWord(first, second, isEnglish) ? "goes" : "stays";
}
