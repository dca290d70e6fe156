import { data as profiles } from "franc/data.js";
import { LANGUAGES, type Language } from "./languages";

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
    finnes gjennom samt bare mot hvordan være vært får noen hvis fordi både inn to dersom vi hun jeg da mer hva
    hvor noe blitt selv deres hvilke innen`,
  danish: `og i det som en på er af for med til at den har de ikke om et han men var fra eller når kan skal ved efter også
    havde så under man bliver blev end nu der her sig sine sit denne dette disse alle meget mellem uden over ud op må
    findes gennem samt kun mod hvordan være været får nogle nogen hvis fordi både ind to skulle vi hun jeg da mere hvad
    hvor noget blevet selv deres hvilke inden`,
  finnish: `ja on ei että se oli ovat kun tai joka mutta myös sekä hän niin kuin mukaan jos vain sen ole jotka siitä tämä
    tämän sitä ne voi olla voidaan mitä jo nyt ennen jälkeen kanssa joita jossa jonka tulee täytyy pitää kaikki
    ollut olisi niiden näiden tässä siinä koska vielä ettei kuten välillä alla yli ilman`,
  portuguese: `o a e de que em do da no na os as para com uma um não se por mais dos das ao aos à às é ou também foi são pelo pela pelos
    pelas como entre sobre este esta estes estas isso quando muito já está seu sua seus suas ser tem foram deve devem até após antes
    depois sem nos nas num numa ele ela eles mas há cada outro outra mesmo ainda todos todas`,
  romanian: `și şi în de la cu pe nu un din este sunt care pentru prin sau mai ce să al ale lui fost dar după între fără până acest
    această aceste dacă când cum unei unui toate toți sub trebuie poate pot fi ca se au am ei lor cel cea cele înainte doar fie`,
  hungarian: `az és hogy nem is egy ez de meg már csak el volt van vagy mint ha kell után alatt között minden lehet azt ezt amely nincs
    során szerint vannak volt voltak lesz ki be fel le nagyon több még így ezek azok ennek annak aki ami ahol amíg előtt nélkül miatt`,
  turkish: `ve bir bu için ile da olarak olan daha en çok gibi kadar sonra önce ancak veya her değil var yok ise tarafından göre ne ki
    mi ya şu üzere oldu olduğu olduğunu ayrıca bütün tüm hem içinde arasında altında üzerinde yani eğer diye ama bunun bunu`,
  greek: `και το του της να η ο την στο οι των με για που τα από σε είναι τον στην θα δεν τη μια στη τις ένα ή ως κατά μετά πριν
    όταν αυτό αυτή πρέπει μπορεί ήταν έχει έχουν όπως αν μόνο χωρίς μεταξύ κάθε όλα`,
  russian: `и в не на что с по для как от к из это был была были было его ее их за но или при до у о если только после перед между также
    же бы так может должен должны быть все этот эта эти который которая которые без под над со во когда еще уже мы они он она`,
  arabic: `في من على إلى أن التي هذا هذه الذي عن مع لا ما كان كانت أو بعد قبل بين كل ذلك تم حتى لم قد هو هي إن وقد غير عند خلال
    تحت فوق يجب يمكن ولا ومن وفي الذين هناك كما ثم إذا`,
  hebrew: `של את על לא הוא זה עם היא כי או גם אל כל אם יש אני מה היו היה אין בין לפני אחרי יותר רק כמו זו אשר עד ללא תחת ידי לאחר
    כדי צריך ניתן הם אך`,
  persian: `و در به از که این را با است برای آن یک تا بر هم شد شده می بود نیز پس قبل بین هر ها های باید یا اگر کرد کند شود دارد خود
    بعد ولی نه همه دو نیست بدون روی زیر طی`,
};

/** Frequent words of languages without a stemmer, which share letters with one that has one. */
const FREQUENT_OF_RIVALS = `і та що від це він вони або для не за з до на й як після цього се да е са беше това като след но още от и
  је су али који што јер што ў і гэта не się nie że jest są oraz przez dla jako od w z i na se je a že byl bylo byla ve si pro jsou ale
  nebo sa som bolo ako ہے ہیں اور کے کی کا میں کو نے سے یہ dan yang di untuk dengan`;

/** Letters and endings, each with the languages that write it often. If an entry has no language, only rivals of the languages write it. */
const LETTERS = (
  [
    [/ß/g, ["german"]],
    [/ü/g, ["german", "turkish", "hungarian"]],
    [/[æø]/g, ["norwegian", "danish"]],
    [/å/g, ["swedish", "norwegian", "danish"]],
    [/ä/g, ["german", "swedish", "finnish"]],
    [/ö/g, ["german", "swedish", "finnish", "turkish", "hungarian"]],
    [/[ãõ]/g, ["portuguese"]],
    [/ç[ãõ]/g, ["portuguese"]],
    [/[șşțţăâ]/g, ["romanian"]],
    [/[őű]/g, ["hungarian"]],
    [/[ğış]/g, ["turkish"]],
    [/[ыэё]/g, ["russian"]],
    [/[іїєґўјљњђћџѓќ]|[бвгджзклмнпрстфхцчш]ъ[бвгджзклмнпрстфхцчш]|[ٹڈڑںےہھ]|[ąęłżźśćńřěůč]/g, []],
    [/[ةىأإ]/g, ["arabic"]],
    [/[پچژگکی]/g, ["persian"]],
    [/ñ/g, ["spanish"]],
    [/[êîûœ]/g, ["french"]],
    [/aa|ää|ii|uu|yy|yö|uo/g, ["finnish"]],
    [/(?:arna|orna)(?!\p{L})/gu, ["swedish"]],
    [/(?:[^r]ene|sjon|sjoner)(?!\p{L})|øy|kj/gu, ["norwegian"]],
    [/(?:erne|hed)(?!\p{L})/gu, ["danish"]],
  ] satisfies [letters: RegExp, languages: Language[]][]
).map(([letters, languages]) => ({
  letters,
  languages: languages.length === 0 ? [LANGUAGES.length] : languages.map((language) => LANGUAGES.indexOf(language)),
}));
/** Weight of one such match. A frequent word of one language has the weight 1. */
const LETTER_WEIGHT = 0.4;

/** The tables of franc for each language: the 300 most frequent groups of three letters, in order. */
const TABLES: Readonly<Record<Language, readonly string[]>> = {
  english: ["eng"],
  german: ["deu"],
  french: ["fra"],
  spanish: ["spa"],
  italian: ["ita"],
  dutch: ["nld"],
  swedish: ["swe"],
  norwegian: ["nob", "nno"],
  danish: ["dan"],
  finnish: ["fin"],
  portuguese: ["por"],
  romanian: ["ron"],
  hungarian: ["hun"],
  turkish: ["tur"],
  greek: [],
  russian: ["rus"],
  arabic: ["arb"],
  hebrew: ["heb"],
  persian: ["pes"],
};
/** Languages without a stemmer that are similar to one with a stemmer: a text in one of them has no language. */
const RIVALS = ["ukr", "bul", "srp", "bel", "mkd", "urd", "glg", "cat", "pol", "ces", "slk", "azj", "ekk", "ind"];
const ALL_TABLES = [...LANGUAGES.flatMap((language) => TABLES[language]), ...RIVALS];
const PROFILES: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(profiles));
/** Weight of the most frequent group; a frequent word of one language has 1. The last group has a quarter of this weight. */
const GROUP_WEIGHT = 0.2;
const RANKS = 400;

/** Characters of a text that are read. A passage has fewer. */
const MAX_READ = 4_000;

/** By how much the evidence for a language must exceed that for the next one. */
const MIN_LEAD = 0.8;
/** The part of all words that the frequent words of a language must be. Lists of names and codes have fewer. */
const MIN_FREQUENT = 0.04;
/** Different frequent words that are evidence without the letters of the other words ("hat", "pour", "van", "af"). */
const MIN_DIFFERENT = 2;
/** If one frequent word decides the language: by how much the letters must fit this language better than another language. */
const MIN_LEAD_OF_LETTERS = 0.6;

/** The evidence of a text for each of LANGUAGES and then for the best of RIVALS. */
interface Evidence {
  /** The weights of its frequent words. */
  frequent: number[];
  /** Its different frequent words. */
  different: ReadonlySet<string>;
  /** The weights of its letters and of its groups of three letters. */
  letters: number[];
  /** The number of all its words. */
  words: number;
}

/** The languages of each frequent word, by their numbers in LANGUAGES. */
const holders = new Map<string, number[]>();
for (const [i, list] of [...LANGUAGES.map((language) => FREQUENT[language]), FREQUENT_OF_RIVALS].entries())
  for (const word of new Set(list.split(/\s+/))) holders.set(word, [...(holders.get(word) ?? []), i]);

/** The tables of each group of three letters, with its weights. The map is made when a text is first read. */
let groups: Map<string, (readonly [table: number, weight: number])[]> | undefined;

function readGroups(): NonNullable<typeof groups> {
  const found: NonNullable<typeof groups> = new Map();
  for (const [i, table] of ALL_TABLES.entries())
    for (const [rank, group] of (PROFILES[table] ?? "").split("|").entries()) {
      const among = found.get(group) ?? [];
      among.push([i, GROUP_WEIGHT * (1 - rank / RANKS)]);
      found.set(group, among);
    }
  return found;
}

/** Adds the groups of three letters of a text, of the table of each language that fits best, and then of the rival that fits best. */
function addGroups(text: string, add: (language: number, weight: number) => void): void {
  groups ??= readGroups();
  const sums = ALL_TABLES.map(() => 0);
  for (let at = 0; at + 3 <= text.length; at += 1) {
    const among = groups.get(text.slice(at, at + 3));
    if (among !== undefined) for (const [table, weight] of among) sums[table] = (sums[table] ?? 0) + weight;
  }
  const weightOf = (table: string): number => sums[ALL_TABLES.indexOf(table)] ?? 0;
  for (const [i, language] of LANGUAGES.entries()) add(i, Math.max(0, ...TABLES[language].map(weightOf)));
  add(LANGUAGES.length, Math.max(...RIVALS.map(weightOf)));
}

/** The words of a text. Groups of letters with digits are codes, and say nothing about a language. */
const plainWords = (text: string): string[] =>
  (text.slice(0, MAX_READ).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter((word) => !/\p{N}/u.test(word));

/** A weight for each language, and one for its rivals. */
const noWeights = (): number[] => [...LANGUAGES.map(() => 0), 0];

/** Counts frequent words, letters, and groups of three letters. The time is linear in the number of letters. */
function evidenceOf(words: readonly string[]): Evidence {
  const [frequent, letters] = [noWeights(), noWeights()];
  const addTo = (weights: number[]) => (language: number, weight: number) => {
    weights[language] = (weights[language] ?? 0) + weight;
  };
  const lower = words.map((word) => word.toLowerCase());
  for (const word of lower) {
    const among = holders.get(word) ?? [];
    for (const language of among) addTo(frequent)(language, 1 / among.length);
  }
  const read = lower.join(" ");
  for (const { letters: pattern, languages } of LETTERS) {
    const matches = read.match(pattern)?.length ?? 0;
    for (const language of languages) addTo(letters)(language, (matches * LETTER_WEIGHT) / languages.length);
  }
  addGroups(` ${read} `, addTo(letters));
  const different = new Set(lower.filter((word) => holders.has(word)));
  return { frequent, different, letters, words: words.length };
}

const sumOf = (a: readonly number[], b: readonly number[]): number[] => a.map((weight, i) => weight + (b[i] ?? 0));

/** The index of the greatest weight, or null if another weight is almost as great. */
function leading(weights: readonly number[], lead: number): number | null {
  const [best = 0, next = 0] = weights.toSorted((a, b) => b - a);
  return best - next < lead ? null : weights.indexOf(best);
}

/** Whether two different frequent words show a language, by its number. */
const hasDifferent = ({ different }: Evidence, language: number): boolean =>
  [...different].filter((word) => holders.get(word)?.includes(language)).length >= MIN_DIFFERENT;

/** Whether the letters of the other words confirm the one frequent word of a language. */
const isConfirmed = ({ letters }: Evidence, language: number): boolean =>
  leading(letters, MIN_LEAD_OF_LETTERS) === language;

/** The language that frequent words and letters together show, or null. */
function shownBy(evidence: Evidence): Language | null {
  const { frequent, letters, words } = evidence;
  const best = leading(sumOf(frequent, letters), MIN_LEAD);
  if (best === null || (frequent[best] ?? 0) < MIN_FREQUENT * words) return null;
  return hasDifferent(evidence, best) || isConfirmed(evidence, best) ? (LANGUAGES[best] ?? null) : null;
}

/** Scripts of one language: most words of a text in them are enough. */
const SCRIPTS: readonly (readonly [Language, RegExp])[] = [
  ["greek", /\p{Script=Greek}{2}/u],
  ["hebrew", /\p{Script=Hebrew}{2}/u],
];
const languageByScript = (words: readonly string[]): Language | null =>
  SCRIPTS.find(([, script]) => 2 * words.filter((word) => script.test(word)).length > words.length)?.[0] ?? null;

/** The language of a text, or null when it has too few frequent words, or frequent words of several languages. */
export function detectLanguage(text: string): Language | null {
  const words = plainWords(text);
  return languageByScript(words) ?? shownBy(evidenceOf(words));
}

/**
 * The language of each text: the language that it shows, else the language of all texts together, which may be null.
 */
export const languagesOf = (texts: readonly string[], whole: Language | null): (Language | null)[] =>
  texts.map((text) => detectLanguage(text) ?? whole);

/** The language of some texts together, or null. */
export function mainLanguage(texts: readonly string[]): Language | null {
  const ofScript = languageByScript(texts.flatMap(plainWords));
  if (ofScript !== null) return ofScript;
  const different = new Set<string>();
  const all: Evidence = { frequent: noWeights(), different, letters: noWeights(), words: 0 };
  for (const text of texts) {
    const { frequent, different: own, letters, words } = evidenceOf(plainWords(text));
    for (const word of own) different.add(word);
    for (const i of all.frequent.keys()) {
      all.frequent[i] = (all.frequent[i] ?? 0) + (frequent[i] ?? 0);
      all.letters[i] = (all.letters[i] ?? 0) + (letters[i] ?? 0);
    }
    all.words += words;
  }
  return shownBy(all);
}

/** The end of the name of a file, and the boundaries between the words of names such as `sitePlan_v2`. */
const EXTENSION = /\.[\p{L}\p{N}]{1,10}$/u;
const BETWEEN_WORDS = /_|(?<=\p{Ll})(?=\p{Lu})/gu;
/** Codes of countries and languages, and abbreviations, in a name that also has words in lower case. */
const CODE = /^\p{Lu}{1,3}$/u;

/**
 * The language of a name, or null. A name has few words, so only frequent ones say something: two different ones of a language, or
 * one if the letters of the name fit that language best. Single letters, codes and the extension say nothing.
 */
export function languageOfName(name: string): Language | null {
  const words = plainWords(name.replace(EXTENSION, "").replace(BETWEEN_WORDS, " ")).filter((word) => word.length > 1);
  const isMixed = words.some((word) => /\p{Ll}/u.test(word));
  const told = isMixed ? words.filter((word) => !CODE.test(word)) : words;
  const ofScript = languageByScript(told);
  if (ofScript !== null) return ofScript;
  const evidence = evidenceOf(told);
  const { frequent, letters } = evidence;
  const best = leading(sumOf(frequent, letters), MIN_LEAD);
  if (best === null) return null;
  // One frequent word of a name must be a word of this language alone.
  const isClear = leading(frequent, MIN_LEAD) === best && isConfirmed(evidence, best);
  return hasDifferent(evidence, best) || isClear ? (LANGUAGES[best] ?? null) : null;
}
