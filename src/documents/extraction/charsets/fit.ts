import { CAPITAL, KIND, type Model, UNSEEN_COST } from "./languages";

/** Costs of pairs that are no letters of the language, as natural logarithms of a probability. */
const COST = {
  quote: -5,
  sign: -6,
  symbol: -8,
  fixedSpace: -4,
  /** The number that a sign at its place adds to `high`: it says little about the language. */
  rightSign: -3,
  latin: -3,
  afterForeign: -4,
  foreign: -10,
  alien: -13,
  /** A sign where no text has it: a quotation mark within a word, a line of a box beside a letter. */
  misplaced: -12,
  /** A capital behind a small letter, or a small letter behind two capitals. */
  unusualCase: -6,
};
/** A pair with this cost or a lower one is wrong. */
const WRONG_COST = -8.5;

/** How well bytes fit a language in an encoding. */
export interface Fit {
  /** Natural logarithm of the probability. */
  score: number;
  /** The part of the pairs with a byte outside ASCII. */
  high: number;
  /** Number of pairs with a byte outside ASCII, and number of wrong pairs. */
  pairs: number;
  wrong: number;
  /** Numbers of letters outside ASCII, and of signs that can be letters in another encoding. */
  letters: number;
  doubtful: number;
}

const isLetter = (kind: number): boolean => kind > 0 || kind <= KIND.foreign;

/** The cost of a character that is no letter, between the kinds `before` and `next`. */
function costOfSign(kind: number, before: number, next: number): number {
  const [follows, leads] = [isLetter(before), isLetter(next)];
  if (kind === KIND.apostrophe) return COST.quote;
  if (kind === KIND.box) return follows || leads ? COST.misplaced : COST.sign;
  if (kind === KIND.opening) return follows ? COST.misplaced : COST.quote;
  if (follows && leads) return COST.misplaced;
  if (kind === KIND.fixedSpace) return leads ? COST.sign : COST.fixedSpace;
  return kind === KIND.quote ? COST.quote : kind === KIND.sign ? COST.sign : COST.symbol;
}

/** Whether a character is a sign beside no word: `–`, `100 €`, `20 °C`. Quotation marks, `…` and spaces can be short words: `à`. */
function standsAlone(kind: number, before: number, next: number, run: Uint8Array): boolean {
  if (kind !== KIND.sign && kind !== KIND.box) return false;
  const isTemperature = run.length === 2 && (run[1] === 0x43 || run[1] === 0x46);
  return !isLetter(before) && (!isLetter(next) || isTemperature);
}

/** Judges a run of letters by the pairs of its letters (a Markov chain of the first order) and by its capitals. */
export function fitOf(run: Uint8Array, { language: { pairs, size }, kinds }: Model): Fit {
  const fit = { score: 0, high: 0, pairs: 0, wrong: 0, letters: 0, doubtful: 0 };
  const add = (cost: number, isOutsideAscii: boolean, isSign = false): void => {
    fit.score += cost;
    if (!isOutsideAscii) return;
    fit.pairs++;
    fit.high += isSign && cost > WRONG_COST ? COST.rightSign : cost;
    if (cost <= WRONG_COST) fit.wrong++;
  };
  let [before, wasHigh] = [KIND.edge as number, false];
  let [small, capitals] = [0, 0];
  for (let at = 0; at <= run.length; at++) {
    const byte = run[at] ?? 0x20;
    const kind = kinds[byte] ?? KIND.alien;
    const isHigh = byte >= 0x80 || wasHigh;
    if (byte >= 0x80 && isLetter(kind)) fit.letters++;
    if (kind > 0) {
      const isCapital = (kind & CAPITAL) !== 0;
      const unusual = isHigh && (isCapital ? small > 0 : capitals > 1 && small === 0);
      const from = before > 0 ? before & 255 : 0;
      const cost =
        before === KIND.latin
          ? COST.alien
          : before <= KIND.foreign
            ? COST.afterForeign
            : (pairs[from * size + (kind & 255)] ?? UNSEEN_COST);
      add(cost + (unusual ? COST.unusualCase : 0), isHigh);
      if (isCapital) capitals++;
      else small++;
    } else if (kind === KIND.latin) add(before > 0 ? COST.alien : COST.latin, wasHigh);
    else if (kind === KIND.foreign) add(COST.foreign, true);
    else if (kind === KIND.alien) add(COST.alien, true);
    else {
      if (before > 0) add(pairs[(before & 255) * size] ?? UNSEEN_COST, wasHigh);
      const next = kinds[run[at + 1] ?? 0x20] ?? KIND.alien;
      if (kind !== KIND.edge) add(costOfSign(kind, before, next), true, true);
      if (kind !== KIND.edge && !standsAlone(kind, before, next, run)) fit.doubtful++;
      [small, capitals] = [0, 0];
    }
    [before, wasHigh] = [kind, byte >= 0x80];
  }
  return fit;
}
