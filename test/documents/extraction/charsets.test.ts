import { expect, test } from "vitest";
import { readDocument } from "./read";

/** Notices in many languages. */
const NOTICES: Readonly<Record<string, string>> = {
  japanese:
    "灯台の点検は毎週月曜日に行われます。ランプの油を確認してから、階段の照明を消してください。港の安全のために必要です。",
  korean:
    "등대 점검은 매주 월요일에 실시합니다. 등유를 확인한 다음 계단의 조명을 꺼 주십시오. 항구의 안전을 위해 필요합니다.",
  chinese: "燈塔的檢查在每個星期一進行。請先確認燈油，然後關閉樓梯的照明。這是為了港口的安全所必須的工作。",
  russian:
    "Осмотр маяка проводится каждый понедельник. Проверьте масло в лампе, затем выключите свет на лестнице. Это нужно для безопасности порта.",
  polish:
    "Przegląd latarni odbywa się w każdy poniedziałek. Proszę sprawdzić olej, a następnie wyłączyć światło na schodach. Jest to konieczne dla bezpieczeństwa żeglugi i łodzi w porcie. Wszystkie usterki należy zgłosić niezwłocznie, ponieważ później nie będą naprawiane.",
  czech:
    "Prohlídka majáku se koná každé pondělí. Nejdříve zkontrolujte olej v lampě, potom zhasněte světlo na schodišti. Je to nutné pro bezpečnost přístavu. Všechny závady hlaste ihned, protože později už nebudou odstraněny.",
  greek:
    "Ο έλεγχος του φάρου γίνεται κάθε Δευτέρα. Ελέγξτε πρώτα το λάδι της λάμπας και μετά σβήστε το φως στη σκάλα. Είναι αναγκαίο για την ασφάλεια του λιμανιού.",
  hebrew:
    "בדיקת המגדלור מתקיימת בכל יום שני. יש לבדוק את השמן במנורה ואחר כך לכבות את האור במדרגות. הדבר נחוץ לביטחון הנמל.",
  arabic:
    "يتم فحص المنارة كل يوم اثنين. يرجى التحقق من زيت المصباح ثم إطفاء الضوء في السلم. هذا ضروري من أجل سلامة الميناء.",
  turkish:
    "Deniz fenerinin kontrolü her pazartesi günü yapılır. Önce lambanın yağını kontrol edin, sonra merdivenin ışığını söndürün. Bu, limanın güvenliği için gereklidir. Şüpheli durumları hemen bildirin.",
  german:
    "Die Prüfung des Leuchtturms findet jeden Montag statt. Bitte zuerst das Öl prüfen, dann das Licht über der Treppe löschen. Für die Sicherheit des Hafens ist das nötig.",
};

/** Encodes a text in a charset with the inverse of the decoder's table. */
function encode(text: string, encoding: string): Uint8Array {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: false });
  const table = new Map<string, readonly number[]>();
  const learn = (...bytes: number[]) => {
    try {
      const char = decoder.decode(Uint8Array.from(bytes));
      if ([...char].length === 1 && !table.has(char)) table.set(char, bytes);
    } catch {
      // These bytes are not a character.
    }
  };
  for (let byte = 0; byte < 256; byte++) learn(byte);
  if (/jis|euc|big5/.test(encoding))
    for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) learn(lead, trail);
  return Uint8Array.from(
    [...text].flatMap((char) => {
      const bytes = table.get(char);
      if (bytes === undefined) throw new Error(`${encoding} has no ${char}`);
      return bytes;
    }),
  );
}

const WAYS = [
  ["japanese", "shift_jis"],
  ["japanese", "euc-jp"],
  ["korean", "euc-kr"],
  ["chinese", "big5"],
  ["russian", "koi8-r"],
  ["russian", "windows-1251"],
  ["russian", "iso-8859-5"],
  ["polish", "windows-1250"],
  ["polish", "iso-8859-2"],
  ["czech", "windows-1250"],
  ["czech", "iso-8859-2"],
  ["greek", "windows-1253"],
  ["greek", "iso-8859-7"],
  ["turkish", "windows-1254"],
  ["hebrew", "windows-1255"],
  ["arabic", "windows-1256"],
  ["arabic", "iso-8859-6"],
  ["german", "windows-1252"],
] as const;
const notice = (language: string): string => NOTICES[language] ?? "";
const flat = (text: string): string => text.replace(/\s+/g, "");

test.each(WAYS)("a %s text in %s without a declared charset is decoded correctly", async (language, encoding) => {
  const { end, text } = await readDocument(encode(notice(language), encoding), "notice.txt");
  expect(end.status).toBe("indexed");
  expect(flat(text)).toBe(flat(notice(language)));
});

test.each(WAYS)("a declared charset counts: %s in %s", async (language, encoding) => {
  const short = notice(language).slice(0, 24);
  const bytes = encode(short, encoding);
  const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0));
  const html = Uint8Array.from([...ascii(`<meta charset="${encoding}"><p>`), ...bytes]);
  const xhtml = Uint8Array.from([...ascii(`<?xml version="1.0" encoding="${encoding}"?><html><p>`), ...bytes]);
  const mail = Uint8Array.from([
    ...ascii(
      `From: a@b.test\nSubject: x\nContent-Type: text/plain; charset=${encoding}\nContent-Transfer-Encoding: 8bit\n\n`,
    ),
    ...bytes,
  ]);
  const texts = [
    await readDocument(bytes, "notice.txt", `text/plain; charset=${encoding}`),
    await readDocument(html, "notice.html"),
    await readDocument(xhtml, "notice.xhtml"),
    await readDocument(mail, "notice.eml"),
  ];
  for (const { text } of texts) expect(flat(text)).toContain(flat(short));
});

test.each(["utf-16le", "utf-16be"])("%s without a mark is read", async (encoding) => {
  for (const language of ["german", "russian", "korean"]) {
    const units = Array.from(notice(language), (char) => char.charCodeAt(0));
    const bytes = Uint8Array.from(
      units.flatMap((unit) => (encoding === "utf-16le" ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255])),
    );
    const { end, text } = await readDocument(bytes, "notice.txt");
    expect([end.status, flat(text)]).toEqual(["indexed", flat(notice(language))]);
  }
});

test("a mail without a declared charset is decoded by its bytes", async () => {
  const head = Array.from("From: a@b.test\nSubject: x\n\n", (char) => char.charCodeAt(0));
  const { text } = await readDocument(Uint8Array.from([...head, ...encode(notice("russian"), "koi8-r")]), "a.eml");
  expect(flat(text)).toContain(flat(notice("russian")));
});

test("text in an unknown charset gets its own status, without text", async () => {
  const unsure = Uint8Array.from("za\xe0\xe8 b\xf0\xf8 \xa4\xb6\xa6 x\xac\xbe", (char) => char.charCodeAt(0));
  const { end, passages } = await readDocument(unsure, "notice.txt");
  expect(end).toMatchObject({ status: "unknown-charset", detail: expect.stringContaining("UTF-8") });
  expect(passages).toEqual([]);
});

/** The bytes of texts in encodings that the detector finds in some texts only, read as windows-1252. */
const BALTIC_AND_VIETNAMESE = [
  [
    "Lithuanian",
    "windows-1257",
    "Ðvyturio patikra vyksta kiekvienà pirmadiená. Pirmiausia patikrinkite lempos alyvà, tada iðjunkite ðviesà laiptinëje. Tai bûtina uosto saugumui uþtikrinti.",
  ],
  [
    "Latvian",
    "windows-1257",
    "Bâkas pârbaude notiek katru pirmdienu. Vispirms pârbaudiet lampas eïïu, pçc tam izslçdziet gaismu kâpòu telpâ. Ðis darbs ir vajadzîgs.",
  ],
  [
    "Vietnamese",
    "windows-1258",
    "Ngòn hài ðãng ðýõc kiêam tra vào môi thý hai. Ðýõng ði ra cang phai ðýõc chiêu sang.",
  ],
] as const;

test.each(BALTIC_AND_VIETNAMESE)("%s in %s is decoded correctly or not at all", async (_, encoding, letters) => {
  const bytes = Uint8Array.from(letters, (char) => char.charCodeAt(0));
  const { end, text } = await readDocument(bytes, "notice.txt");
  const right = flat(new TextDecoder(encoding).decode(bytes).normalize("NFC"));
  expect([
    ["indexed", right],
    ["unknown-charset", ""],
  ]).toContainEqual([end.status, flat(text).normalize("NFC")]);
});

test("Icelandic in windows-1252 is decoded correctly, even with a few French names", async () => {
  const text =
    "Vitinn er skoðaður á hverjum mánudegi. Athugið fyrst olíuna í lampanum, slökkvið síðan ljósið í stiganum. Það er " +
    "nauðsynlegt fyrir öryggi hafnarinnar. Umsjón hefur Hélène í þorpinu við höfnina.";
  const { end, text: found } = await readDocument(
    Uint8Array.from(text, (char) => char.charCodeAt(0)),
    "notice.txt",
  );
  expect([end.status, flat(found)]).toEqual(["indexed", flat(text)]);
});
