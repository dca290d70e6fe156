import { describe, expect, test } from "vitest";
import { detectLanguage, type Language, languageOfName, languagesOf, mainLanguage } from "../../src/search/text";
import { hexadecimalNames, namesIn } from "./names";

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
  portuguese: [
    "A bomba foi substituída depois da inundação e funciona desde então.",
    "Envie o contrato assinado ao escritório antes de sexta-feira, por favor.",
    "A água entra na cave quando chove mais de um dia, e também no poço.",
  ],
  romanian: [
    "Pompa a fost înlocuită după inundație și funcționează de atunci.",
    "Vă rugăm să trimiteți contractul semnat la birou până vineri.",
    "Apa intră în subsol când plouă mai mult de o zi.",
  ],
  hungarian: [
    "A szivattyút az árvíz után kicserélték, és azóta működik.",
    "Kérjük, hogy az aláírt szerződést péntek előtt küldje el az irodának.",
    "A pincébe víz folyik be, ha egy napnál tovább esik az eső.",
  ],
  turkish: [
    "Pompa selden sonra değiştirildi ve o zamandan beri çalışıyor.",
    "Lütfen imzalı sözleşmeyi cuma gününden önce ofise gönderin, her sayfa için bir imza var.",
    "Bir günden daha fazla yağmur yağdığında bodruma su giriyor.",
  ],
  greek: [
    "Η αντλία αντικαταστάθηκε μετά την πλημμύρα και λειτουργεί από τότε.",
    "Στείλτε το υπογεγραμμένο συμβόλαιο στο γραφείο πριν από την Παρασκευή.",
    "Αντλία υπογείου",
  ],
  russian: [
    "Насос заменили после наводнения, и с тех пор он работает без сбоев.",
    "Пожалуйста, отправьте подписанный договор в офис до пятницы.",
    "Вода попадает в подвал, когда дождь идет больше одного дня.",
  ],
  arabic: [
    "تم استبدال المضخة بعد الفيضان وهي تعمل منذ ذلك الحين.",
    "يرجى إرسال العقد الموقع إلى المكتب قبل يوم الجمعة.",
    "تدخل المياه إلى القبو عندما تمطر أكثر من يوم في هذا المكان.",
  ],
  hebrew: ["המשאבה הוחלפה אחרי השיטפון והיא עובדת מאז.", "נא לשלוח את החוזה החתום למשרד לפני יום שישי.", "משאבת המרתף"],
  persian: [
    "پمپ پس از سیل تعویض شد و از آن زمان کار می‌کند.",
    "لطفاً قرارداد امضا شده را قبل از جمعه به دفتر ارسال کنید.",
    "وقتی بیش از یک روز باران می‌بارد آب به زیرزمین وارد می‌شود.",
  ],
};
const ROWS = Object.entries(SENTENCES).flatMap(([language, texts]) => texts.map((text) => [language, text] as const));

describe("the language of a sentence", () => {
  test.each(ROWS)("is %s: %s", (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  test.each([
    "Насос замінили після повені, і відтоді він працює без збоїв, а звіт надіслали до офісу.",
    "Помпата беше сменена след наводнението и оттогава работи, но отчетът още не е изпратен до офиса.",
    "Umowa na roboty została podpisana przed piątkiem, a pompa działa od tego czasu bez zarzutu.",
    "Čerpadlo bylo po povodni vyměněno a od té doby funguje, ale zpráva ještě nebyla odeslána.",
    "یہ رپورٹ جمعہ سے پہلے دفتر میں بھیج دی گئی ہے اور پمپ کام کر رہا ہے۔",
  ])("is unknown in a language without a stemmer: %s", (text) => {
    expect(detectLanguage(text)).toBeNull();
  });

  test.each(["transistor af amplifiers", "pour concrete slabs", "am fm radio", "hat trick goal", "hum on af lines"])(
    "is unknown where one word alone is a frequent word of another language: %s",
    (text) => {
      expect(detectLanguage(text)).toBeNull();
      expect(languagesOf([...SENTENCES.english, text], "english").at(-1)).toBe("english");
    },
  );

  test.each([
    ["italian", "Il ponte è chiuso"],
    ["french", "La porte est ouverte"],
    ["spanish", "El puente está cerrado"],
    ["portuguese", "A ponte do porto"],
  ] as const)("is %s by a second frequent word, or by letters: %s", (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  test("of a passage that is too short is the language of the document's other passages", () => {
    const texts = [...SENTENCES.dutch, "NEN 1010, 4e druk", "Site 14"];
    expect(mainLanguage(texts)).toBe("dutch");
    expect(languagesOf(texts, mainLanguage(texts))).toEqual(texts.map(() => "dutch"));
    expect(languagesOf(["Site 14"], null)).toEqual([null]);
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

describe("the language of a name", () => {
  test("is right or undecided for 98 of 100 names of five languages, and is decided for some of each", () => {
    const names = namesIn(200);
    const decided = names.map(([language, name]) => ({ language, name, found: languageOfName(name) }));
    const wrong = decided.filter(({ language, found }) => found !== null && found !== language);
    expect(wrong.length, wrong.map(({ name, found }) => `${name}: ${found}`).join("\n")).toBeLessThanOrEqual(
      names.length * 0.02,
    );
    const right = Map.groupBy(
      decided.filter(({ language, found }) => found === language),
      ({ language }) => language,
    );
    for (const language of new Set(names.map(([of]) => of)))
      expect(right.get(language)?.length ?? 0, language).toBeGreaterThan(15);
  });

  test("is undecided for hexadecimal names, even where they are the text of a file", () => {
    const names = hexadecimalNames(3_000);
    expect(names.filter((name) => languageOfName(name) !== null)).toEqual([]);
    expect(detectLanguage(names.join(" "))).toBeNull();
    expect(mainLanguage(names)).toBeNull();
  });

  test.each([
    "Contract Smith.docx",
    "Minutes.txt",
    "Harbour inspection 2026.pdf",
    "Site photo.jpg",
    "Floor plan level 3.pdf",
    "scan_0012.pdf",
    "Hard hat inspection.pdf",
    "Cold war bunker.pdf",
    "Van rental.pdf",
    "Concrete pour level 2.pdf",
    "Manual_DE.pdf",
    "Block E.dwg",
    "Datenblatt EN 1090.pdf",
    "2024-10-03.pdf",
    "Site 14",
    "",
  ])("is undecided without frequent words of one language: %s", (name) => {
    expect(languageOfName(name)).toBeNull();
  });

  test.each([
    ["german", "Protokoll über die Abnahme der Lüftungsanlage.pdf"],
    ["german", "FOTOS VOR UND NACH DER SANIERUNG.JPG"],
    ["dutch", "onderhoud_van_de_waterleiding.docx"],
    ["english", "minutesOfTheMeeting_v2.docx"],
    ["finnish", "Huoltokirja ja takuuehdot"],
    ["french", "Notes de la réunion avec le client.odt"],
  ])("is %s by its frequent words: %s", (language, name) => {
    expect(languageOfName(name)).toBe(language);
  });
});
