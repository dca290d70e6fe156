import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from "./languages";

/** Frequent words of each language, mostly function words. A word that several languages have counts less for each. */
const FREQUENT: Readonly<Record<Language, string>> = {
  english: `the of and to in is for that with was are be by this on as it from at or an not which have has were been will
    can their all when may than other these its also into only should must one there they but if you we he his had
    would what about out so no more after before between under over`,
  german: `der die und das den von zu mit ist im des für auf dem nicht ein eine als auch es an werden aus er hat dass sie
    nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man
    sein wurde sich in wenn kann eines diese dieser dieses ihre sowie unter zwischen alle keine muss müssen können`,
  french: `le la les de des du et est en un une que qui dans pour pas sur au aux par avec ce cette ces il elle ne se sont
    plus son sa ses ou où mais comme été être nous vous leur leurs on a ont fait tout tous toute entre sans sous après
    avant aussi doit peut deux même lors à était si qu cela afin ainsi chaque autres`,
  spanish: `el la los las de del y que en un una por con para es se no lo al como más o su sus pero le ha este esta estos
    estas son fue ser muy sin sobre también entre cuando hasta desde todo todos todas ya está están han hay donde debe
    puede dos durante antes después cada otro otra si porque tiene`,
  italian: `il la lo gli le di del della dei delle e che in un una per con non è sono si da dal dalla nel nella al alla
    alle come più ma o su sul sulla anche questo questa questi queste ha stato essere era tra fra se dopo prima ogni
    deve può due tutti tutte tutto i ai agli nei nelle dello degli negli ed viene dell può nell possono quando senza`,
  dutch: `de het een en van in is dat op te zijn met voor niet aan er om ook als dan bij door uit naar maar wordt worden
    werd deze dit die nog heeft hebben was over tot of wel kan kunnen moet moeten geen meer zich onder tussen alle na
    hun ze hij wij u je al zoals per binnen tegen zonder indien`,
  swedish: `och att det som en på är av för med till den har de inte om ett han men var från eller när kan ska skall vid
    efter också hade så under man blir blev än nu där här sig sina sitt denna detta dessa alla mycket mellan utan över
    ut upp måste i finns genom samt bara mot hur vara varit får`,
  norwegian: `og i det som en på er av for med til at den har de ikke om et han men var fra eller når kan skal ved etter
    også hadde så under man blir ble enn nå der her seg sine sitt denne dette disse alle mye mellom uten over ut opp må
    finnes gjennom samt bare mot hvordan være vært får noen hvis fordi både inn to dersom vi hun jeg da mer hva hvor`,
  danish: `og i det som en på er af for med til at den har de ikke om et han men var fra eller når kan skal ved efter også
    havde så under man bliver blev end nu der her sig sine sit denne dette disse alle meget mellem uden over ud op må
    findes gennem samt kun mod hvordan være været får nogle nogen hvis fordi både ind to skulle vi hun jeg da mere hvad
    hvor`,
  finnish: `ja on ei että se oli ovat kun tai joka mutta myös sekä hän niin kuin mukaan jos vain sen ole jotka siitä tämä
    tämän sitä ne voi olla voidaan mitä jo nyt ennen jälkeen kanssa joita jossa jonka tulee täytyy pitää kaikki
    ollut olisi niiden näiden tässä siinä koska vielä ettei kuten välillä alla yli ilman`,
};

/** Letters and endings that only some of the languages write often. */
const LETTERS = (
  [
    [/[ßü]/g, ["german"]],
    [/[æø]/g, ["norwegian", "danish"]],
    [/å/g, ["swedish", "norwegian", "danish"]],
    [/[äö]/g, ["german", "swedish", "finnish"]],
    [/ñ/g, ["spanish"]],
    [/[çêâîûœ]/g, ["french"]],
    [/aa|ää|ii|uu|yy|yö|uo/g, ["finnish"]],
    [/(?:arna|orna)(?!\p{L})/gu, ["swedish"]],
    [/(?:[^r]ene|sjon|sjoner)(?!\p{L})|øy|kj/gu, ["norwegian"]],
    [/(?:erne|hed)(?!\p{L})/gu, ["danish"]],
  ] satisfies [letters: RegExp, languages: Language[]][]
).map(([letters, languages]) => ({ letters, languages: languages.map((language) => LANGUAGES.indexOf(language)) }));
/** What one such place counts, where a frequent word of one language counts 1. */
const LETTER_WEIGHT = 0.4;

/** Characters of a text that are read. A passage has fewer. */
const MAX_READ = 4_000;

/** The least evidence for a language, and by how much it must exceed the next one. */
const MIN_EVIDENCE = 1.2;
const MIN_LEAD = 0.5;

/** The languages of each frequent word, by their numbers in LANGUAGES. */
const holders = new Map<string, number[]>();
for (const [i, language] of LANGUAGES.entries())
  for (const word of FREQUENT[language].split(/\s+/)) holders.set(word, [...(holders.get(word) ?? []), i]);

/**
 * The language of a text, by its frequent words and its letters, or null when they are too few or speak for several
 * languages. The time is linear in the length of the text.
 */
export function detectLanguage(text: string): Language | null {
  const evidence = LANGUAGES.map(() => 0);
  const add = (language: number, weight: number) => {
    evidence[language] = (evidence[language] ?? 0) + weight;
  };
  const read = text.slice(0, MAX_READ).toLowerCase();
  for (const word of read.match(/[\p{L}\p{N}]+/gu) ?? []) {
    const among = holders.get(word) ?? [];
    for (const language of among) add(language, 1 / among.length);
  }
  for (const { letters, languages } of LETTERS) {
    const places = read.match(letters)?.length ?? 0;
    for (const language of languages) add(language, (places * LETTER_WEIGHT) / languages.length);
  }
  const [best, next] = evidence.map((weight, i) => [weight, i] as const).sort((a, b) => b[0] - a[0]);
  if (best === undefined || next === undefined || best[0] < MIN_EVIDENCE || best[0] < next[0] + MIN_LEAD) return null;
  return LANGUAGES[best[1]] ?? null;
}

/** The language of each text: its own where it shows one, else that of all of them together, else the default. */
export function languagesOf(texts: readonly string[], whole: Language | null): Language[] {
  return texts.map((text) => detectLanguage(text) ?? whole ?? DEFAULT_LANGUAGE);
}

/** The language that most of these texts show, or null. */
export function mainLanguage(texts: readonly string[]): Language | null {
  const counts = new Map<Language, number>();
  for (const text of texts) {
    const language = detectLanguage(text);
    if (language !== null) counts.set(language, (counts.get(language) ?? 0) + text.length);
  }
  const [main] = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  return main?.[0] ?? null;
}
