import { expect, test } from "vitest";
import { encodingByStatistics } from "../../../src/documents/extraction/charsets/detector";
import { decoderOf, encodingNamed } from "../../../src/documents/extraction/charsets/pages";
import { isUtf8 } from "../../../src/documents/extraction/charsets/utf8";
import { encodedIn, LANGUAGES, outcomeOf } from "../../support/charset-texts";
import { readDocument } from "./read";

test("prose of 400 letters is decoded rightly in 95 % of all languages and encodings, and never wrongly", async () => {
  let [right, all] = [0, 0];
  for (const language of LANGUAGES) {
    const outcome = await outcomeOf(encodingByStatistics, language, ["prose"], [400]);
    expect(outcome.wrong).toEqual([]);
    right += outcome.right;
    all += outcome.right + outcome.unknown;
  }
  expect(all).toBeGreaterThan(250);
  expect(right / all).toBeGreaterThanOrEqual(0.95);
}, 60_000);

const bytesOf = (text: string, encoding: string): Uint8Array => encodedIn(text, encoding) ?? new Uint8Array();
const flat = (text: string): string => text.replace(/\s+/g, "");

/** A short Thai sentence without spaces, and Russian with capitals of a Mac, which windows-1251 reads as Serbian letters. */
const REPORTED = [
  ["การตรวจสอบสะพานเสร็จสมบูรณ์แล้ว", "windows-874"],
  ["Проверка подшипников крана завершена. Осмотр моста закончен в срок и без замечаний. ", "x-mac-cyrillic"],
] as const;
const OWN = [
  ["Größe;Höhe\nKlärung über Öltank;2\nPrüfstück für Kräne;3\nMüßig;4\n", "ibm850"],
  ["Żółw i źdźbło w ogrodzie, łódka płynie przez jezioro, ściana pęknięta wzdłuż okna.", "ibm852"],
  ["Überprüfung der Brücke: Risse größer als früher. Nächste Prüfung im März.", "macintosh"],
  ["Огляд мосту завершено вчасно. Є тріщини біля опори, їх слід усунути.", "ibm1125"],
  ["Ο έλεγχος της γέφυρας ολοκληρώθηκε. Υπάρχουν ρωγμές στη σκάλα.", "ibm737"],
  ["He said “stop” – it isn’t safe…", "windows-1252"],
  ["Price: £100 or 120 €, at 20 °C", "windows-1252"],
  ["Dvořák\nŽižka\nPřemysl\nŘezníček", "windows-1250"],
] as const;

test.each([...REPORTED, ...OWN])("%s is decoded without a declared charset", async (text, encoding) => {
  const { end, text: found } = await readDocument(bytesOf(text, encoding), "notice.txt");
  expect([end.status, flat(found)]).toEqual(["indexed", flat(text)]);
});

/** Bytes in encodings that the detector does not know: Armenian (ARMSCII-8), Vietnamese (TCVN), and Greek of DOS (869). */
const UNKNOWN = [
  "b3f3e1f5f3c7e320edbbf1b3b5bbf1d9e1f5ddf9c720cfb3d920e5b3efc5c7a320d0e1b9edb3cd203620b2d9bbdd20e1f92c20e1f5f120bfc920e1f120c9c7ddc72c20c7f1b3ede1f5ddf920e1f5ddc720d7b3ddb3e3edbbc920e1f1e5bbeb20c7f1b3ed",
  "79207469b36e206e67adacb26e672c207661b02074adb420646f207468aab1206869aab46e2074ab6e20676961b36f20686fa8b463207469b36e206e67adacb26e672064adacb369206869b06e68207468adb3632074727579aab06e206261b32c207468",
  "d6eede9f20e6e3d620e4e9e3e7fae7e3e49e20e4d6e320dde3dee2e79eed20ee9be8e12c20e69decd620eceee1e720e9eae99fd620eed620dde3e4d6e3fde6d6eed620e4d6e320e9e320dee5def2e2deeb9fdeed20eae9f220eaebe9e4e1eba3ececdee3",
].map((hex) => Uint8Array.fromHex(hex));

test.each(UNKNOWN)("bytes that are words of no language are not decoded", async (bytes) => {
  expect((await readDocument(bytes, "notice.txt")).end.status).toBe("unknown-charset");
});

test.each([
  ["The words Società, Autorità and Servitù stand in an English report of the authority.", "ibm850"],
  ["Sous toutes leurs formes. Chacun a le droit à la protection.", "ibm437"],
  ["Xurídica\nDentro\nHumana\nLiberados", "macintosh"],
])("letters that are signs in windows-1252 are read rightly or not at all: %s", async (text, encoding) => {
  const { end, text: found } = await readDocument(bytesOf(text, encoding), "notice.txt");
  expect([
    ["indexed", flat(text)],
    ["unknown-charset", ""],
  ]).toContainEqual([end.status, flat(found)]);
});

test("a file that ends within a character is UTF-8 if another character is complete", async () => {
  const cut = new TextEncoder().encode("Größe der Brücke").slice(0, -6);
  expect((await readDocument(new TextEncoder().encode("Prüfstelle Größe").slice(0, -2), "a.txt")).text).toContain(
    "Prüfstelle",
  );
  expect(isUtf8(cut)).toBe(true);
  // The only byte outside ASCII is the last one: it is a letter of windows-1252.
  const single = Uint8Array.from("Le café", (char) => char.charCodeAt(0));
  expect([isUtf8(single), isUtf8(single, false)]).toEqual([false, true]);
  expect((await readDocument(single, "a.txt", "text/plain; charset=windows-1252")).text).toBe("Le café");
});

const CYRILLIC = "Проверка подшипников крана завершена. Осмотр моста закончен в срок и без замечаний.";
const ascii = (text: string): number[] => Array.from(text, (char) => char.charCodeAt(0));
const mail = (type: string, bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([
    ...ascii(`From: a@b.test\nSubject: x\nMIME-Version: 1.0\n${type}Content-Transfer-Encoding: 8bit\n\n`),
    ...bytes,
  ]);

test.each([
  ["no declaration", ""],
  ["us-ascii", "Content-Type: text/plain; charset=us-ascii\n"],
  ["an unknown charset", "Content-Type: text/plain; charset=x-foo\n"],
  ["a wrong charset", 'Content-Type: text/plain; charset="iso-8859-1"\n'],
  ["UTF-8", "Content-Type: text/plain; charset=utf-8\n"],
])("a mail in mac-cyrillic with %s is decoded by its letters", async (_, type) => {
  const { text } = await readDocument(mail(type, bytesOf(CYRILLIC, "x-mac-cyrillic")), "a.eml");
  expect(flat(text)).toContain(flat(CYRILLIC));
});

test("a mail with headers that are not encoded shows them", async () => {
  const head = [...ascii("From: a@b.test\nSubject: "), ...bytesOf("Осмотр моста закончен в срок", "koi8-u")];
  const { text } = await readDocument(Uint8Array.from([...head, ...ascii("\n\nHello\n")]), "a.eml");
  expect(text).toContain("Осмотр моста закончен в срок");
});

test.each(["ibm850", "cp850", "850"])("a page may declare %s", async (label) => {
  const page = [...ascii(`<meta charset="${label}"><p>`), ...bytesOf("Größe", "ibm850")];
  expect((await readDocument(Uint8Array.from(page), "a.html")).text).toBe("Größe");
});

test("RTF without a declared charset, and RTF of DOS and of Macs", async () => {
  const hex = (text: string, encoding: string) =>
    Array.from(bytesOf(text, encoding), (byte) =>
      byte < 0x80 ? String.fromCharCode(byte) : `\\'${byte.toString(16)}`,
    ).join("");
  const read = async (head: string, text: string, encoding: string) =>
    (await readDocument(`{\\rtf1${head} ${hex(text, encoding)}\\par}`, "a.rtf")).text;
  expect(await read("\\ansi", CYRILLIC, "windows-1251")).toBe(CYRILLIC);
  expect(await read("\\ansi", "Größe", "windows-1252")).toBe("Größe");
  expect(await read("\\pca", "Größe", "ibm850")).toBe("Größe");
  expect(await read("\\mac\\ansicpg10007", CYRILLIC, "x-mac-cyrillic")).toBe(CYRILLIC);
});

test("names of charsets that programs of Macs and DOS write are known", () => {
  const names = ["mac-cyrillic", "MacRoman", "cp437", "CP-852", "IBM866", "tis-620", "cp874", "utf-8", "nonsense"];
  expect(names.map(encodingNamed)).toEqual([
    "x-mac-cyrillic",
    "macintosh",
    "ibm437",
    "ibm852",
    "ibm866",
    "windows-874",
    "windows-874",
    "utf-8",
    null,
  ]);
  expect(() => decoderOf("ibm857", true).decode(Uint8Array.of(0xd5))).toThrow(TypeError);
});
