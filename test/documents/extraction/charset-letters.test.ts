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
  ["Dvořák\nŽižka\nPřemysl\nŘezníček", "windows-1250"],
] as const;

test.each([...REPORTED, ...OWN])("%s is decoded without a declared charset", async (text, encoding) => {
  const { end, text: found } = await readDocument(bytesOf(text, encoding), "notice.txt");
  expect([end.status, flat(found)]).toEqual(["indexed", flat(text)]);
});

/** Bytes in encodings that the detector does not know: Kazakh of DOS, Armenian, and Vietnamese (TCVN). */
const UNKNOWN = [
  "c1b0d0bb bfbacabf bab0d0ba ded2dbba d1d0b3bbd0b3 b0dbd8b5d2ba b6b0ddb9b0 bfbeb4b6bec9d0ba",
  "a8c8cef2 f6e9e7 eaeff2eaf3eeeef2f5 f3f2e7e9f3 e8eef2 b5c7f6e3 b8e9e7 c0eef3f4",
  "4eb3c6b5 ced1cb ded2bb 41b5bac9 e1e4 aad2d9 c6b3ce b5dcd1 a5f6f8",
].map((hex) => Uint8Array.fromHex(hex.replace(/ (?=[0-9a-f]{2})/g, "20")));

test.each(UNKNOWN)("bytes that are words of no language are not decoded", async (bytes) => {
  expect((await readDocument(bytes, "notice.txt")).end.status).toBe("unknown-charset");
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
