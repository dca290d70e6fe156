import { DomainError } from "../../platform/errors";
import type { MissingImage } from "./images";

/** The words of the service on a page. */
export interface Labels {
  contents: string;
  date: string;
  preparedBy: string;
  revision: string;
  /** The texts before the number of a page, and between it and the number of pages. */
  page: readonly [string, string];
  yes: string;
  no: string;
  /** The states of a task. */
  done: string;
  open: string;
  footnotes: string;
  /** The name of the link from a footnote to its place in the text; `{0}` is its number. */
  backToReference: string;
  pictureMissing: string;
  /** The reasons for missing pictures. Without them, the page shows the English reasons of the job. */
  reasons?: Readonly<Record<MissingImage["code"], string>>;
}

const EN: Labels = {
  contents: "Contents",
  date: "Date",
  preparedBy: "Prepared by",
  revision: "Revision",
  page: ["Page ", " of "],
  yes: "Yes",
  no: "No",
  done: "Done",
  open: "Open",
  footnotes: "Footnotes",
  backToReference: "Back to reference {0}",
  pictureMissing: "Picture missing",
};

const NB: Labels = {
  contents: "Innhold",
  date: "Dato",
  preparedBy: "Utarbeidet av",
  revision: "Revisjon",
  page: ["Side ", " av "],
  yes: "Ja",
  no: "Nei",
  done: "Utført",
  open: "Åpen",
  footnotes: "Fotnoter",
  backToReference: "Tilbake til referanse {0}",
  pictureMissing: "Bilde mangler",
  reasons: {
    "not-found": "Bildet finnes ikke her, eller du har ikke tilgang til det.",
    "not-a-picture": "Dokumentet er ikke et JPEG-, PNG- eller WebP-bilde.",
    damaged: "Bildefilen er skadet.",
    "too-large": "Bildet er for stort.",
    "too-many": "Rapporten har for mange eller for store bilder.",
    "being-prepared": "Bildet klargjøres.",
  },
};

/** Words by primary language subtag. `no` is unspecified Norwegian, and `nn` gets Bokmål instead of English. */
const LABELS: Readonly<Record<string, Labels>> = {
  en: EN,
  nb: NB,
  nn: NB,
  no: NB,
  da: {
    contents: "Indhold",
    date: "Dato",
    preparedBy: "Udarbejdet af",
    revision: "Revision",
    page: ["Side ", " af "],
    yes: "Ja",
    no: "Nej",
    done: "Udført",
    open: "Åben",
    footnotes: "Fodnoter",
    backToReference: "Tilbage til henvisning {0}",
    pictureMissing: "Billede mangler",
    reasons: {
      "not-found": "Billedet findes ikke her, eller du har ikke adgang til det.",
      "not-a-picture": "Dokumentet er ikke et JPEG-, PNG- eller WebP-billede.",
      damaged: "Billedfilen er beskadiget.",
      "too-large": "Billedet er for stort.",
      "too-many": "Rapporten har for mange eller for store billeder.",
      "being-prepared": "Billedet klargøres.",
    },
  },
  de: {
    contents: "Inhalt",
    date: "Datum",
    preparedBy: "Erstellt von",
    revision: "Revision",
    page: ["Seite ", " von "],
    yes: "Ja",
    no: "Nein",
    done: "Erledigt",
    open: "Offen",
    footnotes: "Fußnoten",
    backToReference: "Zurück zum Verweis {0}",
    pictureMissing: "Bild fehlt",
    reasons: {
      "not-found": "Das Bild gibt es hier nicht, oder Sie haben keinen Zugriff darauf.",
      "not-a-picture": "Das Dokument ist kein JPEG-, PNG- oder WebP-Bild.",
      damaged: "Die Bilddatei ist beschädigt.",
      "too-large": "Das Bild ist zu groß.",
      "too-many": "Der Bericht hat zu viele oder zu große Bilder.",
      "being-prepared": "Das Bild wird vorbereitet.",
    },
  },
  es: {
    contents: "Índice",
    date: "Fecha",
    preparedBy: "Elaborado por",
    revision: "Revisión",
    page: ["Página ", " de "],
    yes: "Sí",
    no: "No",
    done: "Hecho",
    open: "Pendiente",
    footnotes: "Notas al pie",
    backToReference: "Volver a la referencia {0}",
    pictureMissing: "Falta la imagen",
    reasons: {
      "not-found": "La imagen no existe aquí o no tiene acceso a ella.",
      "not-a-picture": "El documento no es una imagen JPEG, PNG o WebP.",
      damaged: "El archivo de la imagen está dañado.",
      "too-large": "La imagen es demasiado grande.",
      "too-many": "El informe tiene demasiadas imágenes o son demasiado grandes.",
      "being-prepared": "La imagen se está preparando.",
    },
  },
  fi: {
    contents: "Sisällys",
    date: "Päivämäärä",
    preparedBy: "Laatija",
    revision: "Versio",
    page: ["Sivu ", " / "],
    yes: "Kyllä",
    no: "Ei",
    done: "Valmis",
    open: "Avoin",
    footnotes: "Alaviitteet",
    backToReference: "Takaisin viitteeseen {0}",
    pictureMissing: "Kuva puuttuu",
    reasons: {
      "not-found": "Kuvaa ei ole täällä, tai sinulla ei ole siihen oikeutta.",
      "not-a-picture": "Asiakirja ei ole JPEG-, PNG- tai WebP-kuva.",
      damaged: "Kuvatiedosto on vioittunut.",
      "too-large": "Kuva on liian suuri.",
      "too-many": "Raportissa on liikaa tai liian suuria kuvia.",
      "being-prepared": "Kuvaa valmistellaan.",
    },
  },
  fr: {
    contents: "Sommaire",
    date: "Date",
    preparedBy: "Établi par",
    revision: "Révision",
    page: ["Page ", " sur "],
    yes: "Oui",
    no: "Non",
    done: "Fait",
    open: "À faire",
    footnotes: "Notes de bas de page",
    backToReference: "Retour à la référence {0}",
    pictureMissing: "Image manquante",
    reasons: {
      "not-found": "L’image n’existe pas ici, ou vous n’y avez pas accès.",
      "not-a-picture": "Le document n’est pas une image JPEG, PNG ou WebP.",
      damaged: "Le fichier de l’image est endommagé.",
      "too-large": "L’image est trop grande.",
      "too-many": "Le rapport contient trop d’images, ou des images trop grandes.",
      "being-prepared": "L’image est en préparation.",
    },
  },
  it: {
    contents: "Indice",
    date: "Data",
    preparedBy: "Redatto da",
    revision: "Revisione",
    page: ["Pagina ", " di "],
    yes: "Sì",
    no: "No",
    done: "Fatto",
    open: "Da fare",
    footnotes: "Note a piè di pagina",
    backToReference: "Torna al riferimento {0}",
    pictureMissing: "Immagine mancante",
    reasons: {
      "not-found": "L’immagine non esiste qui o non è accessibile.",
      "not-a-picture": "Il documento non è un’immagine JPEG, PNG o WebP.",
      damaged: "Il file dell’immagine è danneggiato.",
      "too-large": "L’immagine è troppo grande.",
      "too-many": "Il rapporto contiene troppe immagini o immagini troppo grandi.",
      "being-prepared": "L’immagine è in preparazione.",
    },
  },
  nl: {
    contents: "Inhoud",
    date: "Datum",
    preparedBy: "Opgesteld door",
    revision: "Revisie",
    page: ["Pagina ", " van "],
    yes: "Ja",
    no: "Nee",
    done: "Gereed",
    open: "Open",
    footnotes: "Voetnoten",
    backToReference: "Terug naar verwijzing {0}",
    pictureMissing: "Afbeelding ontbreekt",
    reasons: {
      "not-found": "De afbeelding bestaat hier niet, of u hebt er geen toegang toe.",
      "not-a-picture": "Het document is geen JPEG-, PNG- of WebP-afbeelding.",
      damaged: "Het afbeeldingsbestand is beschadigd.",
      "too-large": "De afbeelding is te groot.",
      "too-many": "Het rapport heeft te veel of te grote afbeeldingen.",
      "being-prepared": "De afbeelding wordt voorbereid.",
    },
  },
  sv: {
    contents: "Innehåll",
    date: "Datum",
    preparedBy: "Upprättad av",
    revision: "Revision",
    page: ["Sida ", " av "],
    yes: "Ja",
    no: "Nej",
    done: "Klar",
    open: "Öppen",
    footnotes: "Fotnoter",
    backToReference: "Tillbaka till hänvisning {0}",
    pictureMissing: "Bild saknas",
    reasons: {
      "not-found": "Bilden finns inte här, eller så har du inte åtkomst till den.",
      "not-a-picture": "Dokumentet är ingen JPEG-, PNG- eller WebP-bild.",
      damaged: "Bildfilen är skadad.",
      "too-large": "Bilden är för stor.",
      "too-many": "Rapporten har för många eller för stora bilder.",
      "being-prepared": "Bilden förbereds.",
    },
  },
};

/** Right-to-left scripts. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set([
  "Adlm",
  "Arab",
  "Hebr",
  "Mand",
  "Nkoo",
  "Rohg",
  "Samr",
  "Syrc",
  "Thaa",
]);

/** The language of a page for the words, dates and times of the service. */
export interface PageLanguage {
  /** Canonical BCP 47 tag. */
  tag: string;
  direction: "ltr" | "rtl";
  labels: Labels;
  /** Formats the local day of a moment at the location. */
  day(at: number): string;
  /** Formats the local day, time and time zone of a moment at the location. */
  moment(at: number): string;
}

const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;

/** The canonical form of a language tag such as `de` or `pt-BR`; null for other texts. */
function canonicalTag(text: string): string | null {
  if (!TAG.test(text)) return null;
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

/**
 * The language of a page: that of its draft (its field `language`), else that of its layout, else English. Words and
 * dates are in that language. Without a region, English dates are those of most countries: `20 November 2026`.
 * @throws DomainError rule-violated for a `language` that is not a language tag.
 */
export function languageOf(said: unknown, layout: string, timeZone: string): PageLanguage {
  const own = said === undefined || said === null || said === "" ? null : said;
  const tagOfDraft = typeof own === "string" ? canonicalTag(own) : null;
  if (own !== null && tagOfDraft === null)
    throw new DomainError(
      "rule-violated",
      'The draft\'s "language" is not a language tag. Write one such as "de" or "pt-BR", or leave the field out.',
    );
  const [, written = ""] = /<html[^>]*\slang=["']?([a-z0-9-]+)/i.exec(layout.slice(0, 2_000)) ?? [];
  const tag = tagOfDraft ?? canonicalTag(written) ?? "en";
  const { language, script } = new Intl.Locale(tag).maximize();
  return {
    tag,
    direction: RIGHT_TO_LEFT.has(script ?? "") ? "rtl" : "ltr",
    labels: LABELS[language] ?? EN,
    ...datesIn([...(tag === "en" ? ["en-GB"] : []), tag, ...(language === "nn" ? ["nb"] : []), "en-GB"], timeZone),
  };
}

/** Formats dates with the first of `tags` that `Intl` supports. */
function datesIn(tags: string[], timeZone: string): Pick<PageLanguage, "day" | "moment"> {
  const date = { year: "numeric", month: "long", day: "numeric" } as const;
  const days = new Intl.DateTimeFormat(tags, { timeZone, ...date });
  const clock = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
  const moments = new Intl.DateTimeFormat(tags, { timeZone, ...date, ...clock });
  return { day: (at) => days.format(at), moment: (at) => moments.format(at) };
}
