import { stemmer } from "stemmer";

/** Endings that the stemmer takes away. */
const ENDINGS = (
  "s es ed ing ion ions er ers ly al ally ment ments ness ity ities ive ively ism able ably ible ibly ance ence ant ent " +
  "ful fully less ous ously ize izes ized izing ization ational ate ated ates ating ation ations"
).split(" ");

/**
 * Stems of the words that an unfinished word may become, where the stem is shorter than what is
 * typed ("constructi" → "construct"): a scan of terms that begin with it would miss them.
 */
export function completedStems(typed: string): string[] {
  if (!/^[a-z]{4,}$/.test(typed)) return [];
  const stems = new Set<string>();
  for (const ending of ENDINGS)
    for (let cut = 1; cut < ending.length; cut += 1)
      if (typed.endsWith(ending.slice(0, cut))) stems.add(stemmer(typed + ending.slice(cut)));
  return [...stems].filter((stem) => stem.length >= 3 && !stem.startsWith(typed));
}
