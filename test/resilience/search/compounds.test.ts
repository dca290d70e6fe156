import { describe, expect, test } from "vitest";
import { MAX_PARTS_OF_TEXT } from "../../../src/search/limits";
import { type Language, partsOf } from "../../../src/search/text";
import { surfaceOf } from "../../../src/search/text/fold";
import { bodyField } from "../../../src/search/text/terms";
import { REPORTS } from "../../search/languages";
import { indexTenant, library, searchAs } from "../../search/searching";
import { mintDocument, mintLocation, mintOrganization } from "../../support/factories";
import fc from "../../support/properties";

const parts = (word: string, language: Language) => partsOf(surfaceOf(word), language);

/** Compounds with two of their parts, and words that look like compounds. */
const WORDS: Readonly<Partial<Record<Language, { compounds: readonly string[]; others: string }>>> = {
  german: {
    compounds: [
      "Staubsaugerbeutel Staubsauger Beutel",
      "Brandschutztür Brandschutz Tür",
      "Lüftungsanlage Lüftung Anlage",
      "Brückenprüfung Brücke Prüfung",
      "Sicherheitsbericht Sicherheit Bericht",
      "Straßenbeleuchtung Straße Beleuchtung",
      "Mietvertrag Miete Vertrag",
      "Feuerwehrgerätehaus Feuerwehr Gerätehaus",
      "Krankenhaus kranken Haus",
      "Fensterrahmen Fenster Rahmen",
      "Konfigurationsdatei Konfiguration Datei",
      "Rechnungsnummern Rechnung Nummer",
    ],
    others: `Gegenstand Abteilung Untersuchung Ausbildung Verordnung Wiederholung Information Kommission Transport Personal
      Organisation Universität Freundschaft Gesellschaft Unternehmen Generation Restaurant Schwester Minister Kalender Telefon
      Beispiel Gelegenheit Veranstaltung Regierung Möglichkeit Verantwortung Wasser Fenster Brücken Sicherheit`,
  },
  dutch: {
    compounds: [
      "brandveiligheid brand veiligheid",
      "dakgoot dak goot",
      "kelderraam kelder raam",
      "waterleiding water leiding",
      "onderhoudscontract onderhoud contract",
      "nooduitgang nood uitgang",
      "trappenhuis trappen huis",
      "rookmelders rook melder",
      "vloerverwarming vloer verwarming",
      "ziekenhuis zieken huis",
      "trappenhuizen trappen huis",
      "dakgoten dak goot",
      "kelderramen kelder raam",
    ],
    others: `vergadering bestuurder onderzoek afdeling gemeente bewoners mogelijkheid informatie verzekering beschrijving
      toestemming vereniging universiteit minister gelegenheid uitvoering onderneming opleiding gebouwen scheuren`,
  },
  swedish: {
    compounds: [
      "brandsäkerhet brand säkerhet",
      "källarfönster källare fönster",
      "vattenledning vatten ledning",
      "säkerhetsrapport säkerhet rapport",
      "trapphus trappa hus",
      "nödutgång nöd utgång",
      "dörrlås dörr lås",
      "takränna tak ränna",
      "vattenskada vatten skada",
      "golvvärme golv värme",
      "källarfönstret källare fönster",
      "trapphuset trappa hus",
      "dörrnycklarna dörr nyckel",
    ],
    others: `utredning avdelning möjlighet regering information förening undersökning beskrivning inspektör universitet
      utbildning verksamhet förhållande besiktning ledningen sprickor`,
  },
  norwegian: {
    compounds: [
      "brannsikkerhet brann sikkerhet",
      "kjellervindu kjeller vindu",
      "vannledning vann ledning",
      "sikkerhetsrapport sikkerhet rapport",
      "takrenne tak renne",
      "nødutgang nød utgang",
      "dørlås dør lås",
      "stålbjelke stål bjelke",
      "vannskade vann skade",
      "arbeidsplass arbeid plass",
      "baderommet bade rom",
      "takvinduene tak vindu",
      "kjellerrommene kjeller rom",
    ],
    others: `utredning avdeling mulighet regjering informasjon forening undersøkelse beskrivelse inspektør universitet utdanning
      virksomhet forhold befaring sprekker`,
  },
  danish: {
    compounds: [
      "brandsikkerhed brand sikkerhed",
      "kældervindue kælder vindue",
      "vandledning vand ledning",
      "sikkerhedsrapport sikkerhed rapport",
      "tagrende tag rende",
      "nødudgang nød udgang",
      "dørlås dør lås",
      "stålbjælke stål bjælke",
      "vandskade vand skade",
      "arbejdsplads arbejde plads",
      "kældervinduerne kælder vindue",
      "kælderrummet kælder rum",
      "cykelskuret cykel skur",
    ],
    others: `udredning afdeling mulighed regering information forening undersøgelse beskrivelse inspektør universitet uddannelse
      virksomhed forhold eftersyn revner`,
  },
  finnish: {
    compounds: [
      "paloturvallisuus palo turvallisuus",
      "kattoikkuna katto ikkuna",
      "vesijohto vesi johto",
      "turvallisuusraportti turvallisuus raportti",
      "vuokrasopimus vuokra sopimus",
      "ovilukko ovi lukko",
      "teräspalkki teräs palkki",
      "vesivahinko vesi vahinko",
      "työpaikka työ paikka",
      "talonumero talo numero",
      "vesijohdon vesi johto",
      "vesijohdossa vesi johto",
      "työpaikan työ paikka",
      "ovilukot ovi lukko",
      "vesiputken vesi putki",
    ],
    others: `tarkastaja tarkastajat halkeamista hallitus yhdistys tutkimus mahdollisuus yliopisto kokoelma rakentaminen
      suunnitelma kuvaukset ilmoittivat tiedotteen`,
  },
};
const LANGUAGES_WITH_COMPOUNDS = Object.entries(WORDS) as [Language, (typeof WORDS)["german"] & object][];

describe("the parts of a compound", () => {
  test.each(LANGUAGES_WITH_COMPOUNDS)(
    "are found by a search, and another word has none: %s",
    async (language, words) => {
      const { compounds, others } = words;
      const texts = compounds.map((line) => `${REPORTS[language].text} (${line.split(" ")[0]})`);
      const find = await library(texts);
      for (const [i, line] of compounds.entries())
        for (const part of line.split(" ")) expect(await find(`${part} `), `${line}: ${part}`).toContain(i);
      const split = others.split(/\s+/).filter((word) => parts(word, language).length > 0);
      expect(split).toEqual([]);
    },
  );

  test("are known from the words of the same text", () => {
    expect(parts("Xylitventil", "german")).toEqual(["xylit", "ventil"]);
    expect(parts("Xylitquarz", "german")).toEqual([]);
    expect(partsOf("xylitquarz", "german", new Set(["xylit", "quarz"]))).toEqual(["xylit", "quarz"]);
    const terms = (text: string) => bodyField(text, "german").parts;
    expect(terms("Der Xylitquarz")).toBe("");
    expect(terms("Der Xylitquarz: Xylit und Quarz")).toBe("~xylit__ ~quarz__");
  });

  test("are looked for in German nouns alone, and in every word of a title", () => {
    expect(bodyField("Wasserleitungen prüfen", "german").parts).not.toBe("");
    expect(bodyField("die Arbeit war wasserleitungen", "german").parts).toBe("");
  });

  test("are no words of a phrase, a suggestion or a correction", async () => {
    const find = await library([
      `${REPORTS.german.text} Die Wasserleitung und der Kabelkanal.`,
      `${REPORTS.german.text} Der Kanal für Wasser, Kabel und Leitung.`,
    ]);
    expect(await find('"Wasserleitung und der Kabelkanal"')).toEqual([0]);
    for (const phrase of ['"Wasser Leitung"', '"Leitung Kabel"', '"Leitung Kanal"', '"Kabelkanal Wasser"'])
      expect(await find(phrase), phrase).toEqual([]);
    expect(await find("Wasser Leitung ")).toEqual([0, 1]);
    expect(await find("Wasser -Leitung ")).toEqual([]);
  });

  test("have the page and the passage of their compound, and mark it", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const location = await mintLocation(tenant);
    const passages = Array.from({ length: 6 }, (_, i) => `${REPORTS.german.text} Nummer ${i}.`);
    passages[3] = `${REPORTS.german.text} Der Staubsaugerbeutel fehlt.`;
    passages[5] = `${REPORTS.german.text} Die Wasserleitung ist dicht.`;
    await mintDocument(tenant, location, passages);
    await indexTenant(organization.id);
    const found = async (term: string) => {
      const { results } = await searchAs(organization.owner.token, term);
      return results.map(({ source, snippet, passageCount }) => [source?.chunkIndex, passageCount, snippet]);
    };
    expect(await found("Beutel ")).toEqual([
      [3, 1, expect.stringContaining("Der <mark>Staubsaugerbeutel</mark> fehlt")],
    ]);
    expect(await found("Leitung -Beutel ")).toEqual([[5, 1, expect.stringContaining("<mark>Wasserleitung</mark>")]]);
    expect(await found('"Wasserleitung ist dicht"')).toEqual([[5, 1, expect.anything()]]);
  });

  test("are bounded in number, for any text", () => {
    const compounds = [
      "Wasserleitung",
      "Kabelkanal",
      "Kellerfenster",
      "Stahlträger",
      "Hausmeister",
      "Mauerwerk",
      "Bauleiter",
    ];
    const words = fc.array(fc.tuple(fc.constantFrom(...compounds), fc.constantFrom(...compounds)), {
      minLength: 60,
      maxLength: 200,
    });
    fc.assert(
      fc.property(words, (pairs) => {
        const text = pairs.map(([a, b]) => a + b.toLowerCase()).join(" ");
        expect(bodyField(text, "german").parts.split(" ").length).toBeLessThanOrEqual(MAX_PARTS_OF_TEXT);
      }),
      { numRuns: 20 },
    );
    expect(() => parts("kabel".repeat(200), "german")).not.toThrow();
  });
});
