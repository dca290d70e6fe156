import { describe, expect, test } from "vitest";
import { detectLanguage, type Language, languagesOf, likelyLanguage, mainLanguage } from "../../src/search/text";

/** Sentences as they are in reports, letters and instructions. */
const SENTENCES: Readonly<Record<Language, readonly string[]>> = {
  english: [
    "The pump was replaced after the flood and has worked since then.",
    "Please send the signed contract to the office before Friday.",
    "Water enters the basement whenever it rains for more than a day.",
  ],
  german: [
    "Die Pumpe wurde nach dem Hochwasser ersetzt und läuft seitdem.",
    "Bitte senden Sie den unterschriebenen Vertrag vor Freitag an das Büro.",
    "Sobald es länger als einen Tag regnet, dringt Wasser in den Keller ein.",
  ],
  french: [
    "La pompe a été remplacée après la crue et fonctionne depuis.",
    "Veuillez envoyer le contrat signé au bureau avant vendredi.",
    "L'eau entre dans la cave dès qu'il pleut plus d'une journée.",
  ],
  spanish: [
    "La bomba se cambió después de la inundación y funciona desde entonces.",
    "Envíe el contrato firmado a la oficina antes del viernes.",
    "El agua entra en el sótano cuando llueve más de un día.",
  ],
  italian: [
    "La pompa è stata sostituita dopo l'alluvione e da allora funziona.",
    "Si prega di inviare il contratto firmato all'ufficio entro venerdì.",
    "L'acqua entra nella cantina quando piove per più di un giorno.",
  ],
  dutch: [
    "De pomp is na de overstroming vervangen en werkt sindsdien.",
    "Stuur het ondertekende contract voor vrijdag naar het kantoor.",
    "Er komt water in de kelder zodra het langer dan een dag regent.",
  ],
  swedish: [
    "Pumpen byttes efter översvämningen och har fungerat sedan dess.",
    "Skicka det undertecknade avtalet till kontoret före fredag.",
    "Vatten tränger in i källaren när det regnar mer än en dag.",
  ],
  norwegian: [
    "Pumpen ble skiftet etter flommen og har virket siden da.",
    "Send den signerte kontrakten til kontoret før fredag, og gi beskjed hvis noe mangler.",
    "Vannet trenger inn i kjelleren når det regner mer enn en dag.",
  ],
  danish: [
    "Pumpen blev udskiftet efter oversvømmelsen og har virket siden da.",
    "Send den underskrevne kontrakt til kontoret inden fredag, og giv besked, hvis noget mangler.",
    "Vandet trænger ind i kælderen, når det regner mere end en dag.",
  ],
  finnish: [
    "Pumppu vaihdettiin tulvan jälkeen ja se on toiminut siitä lähtien.",
    "Lähettäkää allekirjoitettu sopimus toimistoon ennen perjantaita.",
    "Kellariin tulee vettä aina, kun sataa yli vuorokauden.",
  ],
};
const ROWS = Object.entries(SENTENCES).flatMap(([language, texts]) => texts.map((text) => [language, text] as const));

describe("the language of a sentence", () => {
  test.each(ROWS)("is %s: %s", (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  test.each([
    ["german", "Protokoll über die Abnahme der Lüftungsanlage"],
    ["dutch", "Onderhoud van de waterleiding"],
    ["swedish", "Ritning över källaren"],
    ["finnish", "Huoltokirja ja takuuehdot"],
    ["english", "Site 14"],
    ["english", "2024-10-03.pdf"],
  ])("is %s where the text is short and has no other beside it: %s", (language, text) => {
    expect(likelyLanguage(text)).toBe(language);
  });

  test("of a passage that is too short is that of the document's other passages", () => {
    const texts = [...SENTENCES.dutch, "NEN 1010, 4e druk", "Site 14"];
    expect(mainLanguage(texts)).toBe("dutch");
    expect(languagesOf(texts, mainLanguage(texts))).toEqual(texts.map(() => "dutch"));
    expect(languagesOf(["Site 14"], null)).toEqual(["english"]);
  });

  test("of a passage in another language stays its own", () => {
    const texts = [...SENTENCES.german, SENTENCES.french[0] ?? ""];
    expect(languagesOf(texts, mainLanguage(texts)).at(-1)).toBe("french");
  });

  test("is detected in a time in proportion to its length, for any content", () => {
    for (const text of ["a".repeat(100_000), "ä".repeat(100_000), "1 ".repeat(50_000), "\u0301".repeat(100_000)])
      expect(() => detectLanguage(text)).not.toThrow();
  });
});
