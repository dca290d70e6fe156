export { codesIn } from "./codes";
export { hasCompounds, partsOf } from "./compounds";
export { detectLanguage, languageOfName, languagesOf, mainLanguage } from "./detect";
export { type Spelling, spellingsOf } from "./fold";
export {
  ALL_LANGUAGES,
  contains,
  DEFAULT_LANGUAGE,
  LANGUAGES,
  type Language,
  type LanguageSet,
  languagesIn,
  setOf,
} from "./languages";
export { nameMatcher } from "./names";
export { completedStems, mergeStems, type Stem, stemOf, stemsOf } from "./stems";
export {
  AFTER_STEM,
  bodyField,
  joinTerms,
  NAME_MARK,
  nameWords,
  ownWords,
  PART_END,
  SAMPLE_MARK,
  SAMPLES,
  STEM_END,
  sampledTerms,
  sampleOf,
  stopStem,
  tagStem,
  tagTerms,
  termOf,
  titleField,
  WORD_MARK,
  wordOfTerm,
} from "./terms";
export { isListed, isSingleCharacter, isStopWord, queryWordsOf, STOP_WORDS, type Word, wordsOf } from "./words";
