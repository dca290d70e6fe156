import type { Language } from "../../src/search/text";

/*
 * Names of files as people give them, made of words of their trades and of habits: dates, codes, versions, cameras. The lists are
 * written by hand; no word was chosen by what the detection knows.
 */

interface Vocabulary {
  /** Things that documents are about. */
  things: string;
  /** Kinds of documents. */
  kinds: string;
  /** Places, firms and people. */
  names: string;
  /** What connects a kind and a thing. */
  links: string;
  /** Versions and states. */
  states: string;
  /** Sentences that people use as names. */
  phrases: string;
}

const VOCABULARIES: Readonly<Partial<Record<Language, Vocabulary>>> = {
  english: {
    things: `bridge|pump station|harbour|fire alarm|floor plan|retaining wall|drainage|boiler room|lift shaft|scaffolding|concrete pour|hard hat|van rental|roof|site access|asbestos|car park|stairwell|water main|north abutment|crane|gate 4|cold war bunker|main hall|power supply|health and safety|land survey|steel frame`,
    kinds: `report|minutes|contract|invoice|drawing|photo|inspection|quote|certificate|method statement|checklist|schedule|survey|letter|manual|handover|snag list|risk assessment|permit|timesheet`,
    names: `Smith|Harbour House|Leeds|O'Brien|Acme Ltd|Riverside|Block C|Level 3|Phase 2|Mrs Patel|Kings Road|Site 14`,
    links: ` of | for | | - |_|, `,
    states: `final|draft|v2|rev B|signed|FINAL final|old|copy|(1)|as built|superseded|for comment`,
    phrases: `Notes from the meeting with the client|Photos before and after|How to reset the controller|What to do in case of fire|List of all defects|Letter to the council|Things that are still open|Do not use`,
  },
  german: {
    things: `Brücke|Pumpwerk|Hafen|Brandmeldeanlage|Grundriss EG|Stützmauer|Entwässerung|Heizungskeller|Aufzug|Gerüst|Betonage|Dach|Zufahrt|Asbest|Tiefgarage|Treppenhaus|Wasserleitung|Widerlager Nord|Kran|Tor 4|Bunker|Halle|Stromversorgung|Vermessung|Stahlbau|Fassade West|Lüftung|Schlüssel`,
    kinds: `Bericht|Protokoll|Vertrag|Rechnung|Zeichnung|Foto|Prüfbericht|Angebot|Zertifikat|Abnahme|Checkliste|Terminplan|Gutachten|Schreiben|Handbuch|Übergabe|Mängelliste|Gefährdungsbeurteilung|Genehmigung|Stundenzettel`,
    names: `Müller|Hafenhaus|Köln|Schulze|Bau GmbH|Uferstraße|Block C|OG 3|BA 2|Frau Yilmaz|Königsweg|Baustelle 14`,
    links: ` der | für | zum | | - |_|, `,
    states: `final|Entwurf|v2|Rev B|unterschrieben|endgültig|alt|Kopie|(1)|Bestand|ungültig|zur Prüfung`,
    phrases: `Notizen von der Besprechung mit dem Bauherrn|Fotos vor und nach der Sanierung|Was bei einem Brand zu tun ist|Liste aller Mängel|Brief an die Stadt|Noch zu klären|Nicht verwenden|Schlüssel für den Keller`,
  },
  french: {
    things: `pont|station de pompage|port|alarme incendie|plan du rez-de-chaussée|mur de soutènement|drainage|chaufferie|ascenseur|échafaudage|béton|toiture|accès chantier|amiante|parking|cage d'escalier|conduite d'eau|culée nord|grue|portail 4|bunker|hall|alimentation électrique|levé topographique|charpente|façade ouest|ventilation|clés`,
    kinds: `rapport|compte rendu|contrat|facture|plan|photo|inspection|devis|certificat|réception|liste|planning|expertise|courrier|notice|remise|réserves|évaluation des risques|permis|feuille d'heures`,
    names: `Dupont|Maison du Port|Lyon|Lefèvre|Bâti SARL|Quai Nord|Bloc C|Niveau 3|Phase 2|Mme Benali|Rue Royale|Chantier 14`,
    links: ` de | du | pour | des | | - |_|, `,
    states: `final|brouillon|v2|rév B|signé|définitif|ancien|copie|(1)|conforme à l'exécution|périmé|pour avis`,
    phrases: `Notes de la réunion avec le client|Photos avant et après les travaux|Que faire en cas d'incendie|Liste de tous les défauts|Lettre à la mairie|Reste à faire|Ne pas utiliser|Clés pour la cave`,
  },
  spanish: {
    things: `puente|estación de bombeo|puerto|alarma de incendios|plano de planta|muro de contención|drenaje|caldera|ascensor|andamio|hormigón|cubierta|acceso a obra|amianto|aparcamiento|escalera|tubería de agua|estribo norte|grúa|puerta 4|búnker|nave|suministro eléctrico|topografía|estructura|fachada oeste|ventilación|llaves`,
    kinds: `informe|acta|contrato|factura|plano|foto|inspección|presupuesto|certificado|recepción|lista|cronograma|peritaje|carta|manual|entrega|defectos|evaluación de riesgos|licencia|parte de horas`,
    names: `García|Casa del Puerto|Sevilla|Núñez|Obras SL|Ribera|Bloque C|Nivel 3|Fase 2|Sra. López|Calle Mayor|Obra 14`,
    links: ` de | del | para | de la | | - |_|, `,
    states: `final|borrador|v2|rev B|firmado|definitivo|antiguo|copia|(1)|as built|anulado|para revisar`,
    phrases: `Notas de la reunión con el cliente|Fotos antes y después de la obra|Qué hacer en caso de incendio|Lista de todos los defectos|Carta al ayuntamiento|Queda por hacer|No usar|Llaves para el sótano`,
  },
  dutch: {
    things: `brug|gemaal|haven|brandmeldinstallatie|plattegrond|keermuur|afwatering|stookruimte|lift|steiger|beton|dak|toegang bouwplaats|asbest|parkeergarage|trappenhuis|waterleiding|landhoofd noord|kraan|poort 4|bunker|hal|stroomvoorziening|landmeting|staalbouw|gevel west|ventilatie|sleutels`,
    kinds: `rapport|verslag|contract|factuur|tekening|foto|inspectie|offerte|certificaat|oplevering|checklist|planning|keuring|brief|handleiding|overdracht|restpunten|risicoanalyse|vergunning|urenstaat`,
    names: `De Vries|Havenhuis|Utrecht|Bakker|Bouw BV|Oever|Blok C|Verdieping 3|Fase 2|Mevr. Yilmaz|Koningsweg|Locatie 14`,
    links: ` van | voor | van de | | - |_|, `,
    states: `definitief|concept|v2|rev B|getekend|oud|kopie|(1)|revisie|vervallen|ter controle|eindversie`,
    phrases: `Notities van het gesprek met de klant|Foto's voor en na de renovatie|Wat te doen bij brand|Lijst met alle gebreken|Brief aan de gemeente|Nog te doen|Niet gebruiken|Sleutels voor de kelder`,
  },
};

const EXTENSIONS = "pdf|docx|xlsx|jpg|JPG|png|txt|eml|pptx|dwg|heic|odt|csv|html".split("|");
const CAMERAS = ["IMG_", "DSC0", "PXL_20260314_", "WhatsApp Image 2026-03-14 at ", "GOPR", "scan_", "Screenshot_"];

/** A deterministic choice, so that every run tries the same names (mulberry32). */
function chooser(seed: number) {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (below: number): number => Math.floor(random() * below);
  const of = (list: string): string => {
    const all = list.split("|");
    return all[number(all.length)] ?? "";
  };
  return { number, of };
}

function nameOf({ number, of }: ReturnType<typeof chooser>, words: Vocabulary): string {
  const [kind, thing, name, state] = [of(words.kinds), of(words.things), of(words.names), of(words.states)];
  const date = `2026${of("-|.||_")}0${number(9) + 1}${of("-|.||_")}1${number(9)}`;
  const code = `${of("DRW|INV|RE|PO|QA|HSE|MEP|IT")}-${number(9_000) + 1_000}`;
  const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  const stuck = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "_");
  const joined = (text: string) =>
    text
      .split(/[^\p{L}\p{N}]+/u)
      .map(upper)
      .join("");
  const about = `${kind}${of(words.links)}${thing}`;
  const base = [
    () => `${upper(about)} ${state}`,
    () => `${date}_${stuck(about)}_${stuck(state)}`,
    () => `${upper(kind)} ${name}`,
    () => `${code} ${upper(about)} ${name}`,
    () => of(words.phrases),
    () => `${joined(`${thing} ${kind}`)}${number(2) === 0 ? "" : `_v${number(5)}`}`,
    () => `${of(CAMERAS.join("|"))}${number(9_000) + 1_000}${number(2) === 0 ? "" : ` ${thing}`}`,
    () => `${about.toUpperCase()} ${number(40)}`,
    () => `${number(90) + 10} ${upper(thing)} (${state})`,
    () => `${kind}-${stuck(thing).toLowerCase().replaceAll("_", "-")}-${date}`,
    () => `${of(words.phrases)} ${date}`,
    () => `${upper(thing)}, ${name}, ${kind} ${state}`,
  ];
  return `${base[number(base.length)]?.() ?? about}.${of(EXTENSIONS.join("|"))}`;
}

/** Names of each language that has a vocabulary. */
export const namesIn = (count: number): (readonly [Language, string])[] =>
  (Object.entries(VOCABULARIES) as [Language, Vocabulary][]).flatMap(([language, words], i) => {
    const choose = chooser(i + 1);
    return Array.from({ length: count }, () => [language, nameOf(choose, words)] as const);
  });

/** Names without words: hexadecimal numbers of the usual lengths, with an extension. */
export function hexadecimalNames(count: number): string[] {
  const { number, of } = chooser(99);
  return Array.from({ length: count }, () => {
    const digits = Array.from({ length: Number(of("6|8|12|16|32|40|64")) }, () => number(16).toString(16)).join("");
    return `${number(8) === 0 ? digits.replace(/^(.{8})(.{4})?(.{4})?/, "$1-$2-$3-") : digits}.${of(EXTENSIONS.join("|"))}`;
  });
}
