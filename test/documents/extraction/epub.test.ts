import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readDocument } from "./read";

const CONTAINER =
  '<container><rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';

interface Entry {
  href: string;
  type?: string;
  more?: string;
  /** Attributes of its place in the spine; null if it has none. */
  spine?: string | null;
}

const packageOf = (entries: readonly Entry[], metadata = ""): string =>
  `<package><metadata>${metadata}</metadata><manifest>${entries
    .map(
      ({ href, type = "application/xhtml+xml", more = "" }, n) =>
        `<item id="i${n}" href="${href}" media-type="${type}" ${more}/>`,
    )
    .join("")}</manifest><spine>${entries
    .map(({ spine = "" }, n) => (spine === null ? "" : `<itemref idref="i${n}" ${spine}/>`))
    .join("")}</spine></package>`;

const epub = (opf: string, parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries({
        mimetype: "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": opf,
        ...parts,
      }).map(([name, text]) => [name, strToU8(text)]),
    ),
  );
const page = (text: string, head = ""): string =>
  `<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd"><html><head>${head}</head><body><p>${text}</p></body></html>`;
const encryption = (algorithm: string, uri: string): string =>
  `<encryption><e:EncryptedKey><e:EncryptionMethod Algorithm="urn:key"/></e:EncryptedKey><e:EncryptedData><e:EncryptionMethod Algorithm="${algorithm}"/><d:KeyInfo><e:EncryptedKey><e:EncryptionMethod Algorithm="urn:key"/></e:EncryptedKey></d:KeyInfo><e:CipherData><e:CipherReference URI="${uri}"/></e:CipherData></e:EncryptedData></encryption>`;

describe("a book", () => {
  test("has its chapters in the order of the spine, each once, with those beside the main order", async () => {
    const opf = packageOf([{ href: "b.xhtml" }, { href: "a.xhtml", spine: 'linear="no"' }, { href: "b.xhtml" }]);
    const { end, text } = await readDocument(
      epub(opf, { "OPS/a.xhtml": page("first"), "OPS/b.xhtml": page("second") }),
    );
    expect(end).toMatchObject({ status: "indexed", pageCount: null });
    expect(text).toBe("second\nfirst");
  });

  test("begins with its title and its creators", async () => {
    const metadata = "<dc:title>Tides</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bo</dc:creator>";
    const opf = packageOf([{ href: "a.xhtml" }], metadata);
    expect((await readDocument(epub(opf, { "OPS/a.xhtml": page("text") }))).text).toBe("Tides\nAnn, Bo\ntext");
  });

  test("has the text after elements that close themselves, and no titles of its files", async () => {
    const head = '<title/><script src="a.js"/><style/>';
    const opf = packageOf([{ href: "a.xhtml" }, { href: "b.xhtml" }]);
    const parts = {
      "OPS/a.xhtml": page('be<span epub:type="pagebreak"/>fore', head),
      "OPS/b.xhtml": page("after", "<title>b.xhtml</title>"),
    };
    expect((await readDocument(epub(opf, parts))).text).toBe("before\nafter");
  });

  test("has chapters with encoded names, in other folders and in UTF-16", async () => {
    const opf = packageOf([{ href: "../Text/kapitel%201.xhtml#start" }, { href: "b.xhtml" }]);
    const bytes = zipSync({
      mimetype: strToU8("application/epub+zip"),
      "META-INF/container.xml": strToU8(CONTAINER),
      "OPS/book.opf": strToU8(opf),
      "Text/Kapitel 1.xhtml": strToU8(page("eins")),
      "OPS/b.xhtml": Uint8Array.from(
        new Uint8Array(Uint16Array.from(`\ufeff${page("zwei")}`, (char) => char.charCodeAt(0)).buffer),
      ),
    });
    expect((await readDocument(bytes)).text).toBe("eins\nzwei");
  });

  test("has the fallback of a chapter that is a picture, and no fallbacks in a circle", async () => {
    const opf = packageOf([
      { href: "a.png", type: "image/png", more: 'fallback="i1"' },
      { href: "a.xhtml", spine: null },
      { href: "b.png", type: "image/png", more: 'fallback="i2"' },
      { href: "c.svg", type: "image/svg+xml" },
    ]);
    const parts = {
      "OPS/a.png": "",
      "OPS/a.xhtml": page("instead"),
      "OPS/b.png": "",
      "OPS/c.svg": "<svg><text>drawn</text></svg>",
    };
    expect((await readDocument(epub(opf, parts))).text).toBe("instead\ndrawn");
  });

  test("whose package has a document type declaration is read, and entities do not expand", async () => {
    const opf = packageOf([{ href: "a.xhtml" }], "<dc:title>T&amp;T</dc:title>");
    const parts = { "OPS/a.xhtml": page("text") };
    expect((await readDocument(epub(`<!DOCTYPE package [<!ENTITY a "x">]>${opf}`, parts))).text).toBe("T&T\ntext");
    const bomb = `<!DOCTYPE package [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>${opf.replace("T&amp;T", "&b;")}`;
    expect((await readDocument(epub(bomb, parts))).end.status).toBe("damaged");
  });

  test("of many chapters is read in slices, and its title once", async () => {
    const entries = [..."abc"].map((name) => ({ href: `${name}.xhtml` }));
    const paragraph = "<p>The hundred thousand words of this chapter repeat what the keeper said before.</p>";
    const parts = Object.fromEntries(
      entries.map(({ href }) => [`OPS/${href}`, `${page(`chapter ${href}`)}${paragraph.repeat(30_000)}`]),
    );
    const { end, slices, text } = await readDocument(epub(packageOf(entries, "<dc:title>Long</dc:title>"), parts));
    expect([end.status, slices]).toEqual(["indexed", 3]);
    expect(text.match(/^Long$/gm)).toHaveLength(1);
    expect(text.match(/chapter [abc]\.xhtml/g)).toEqual(["chapter a.xhtml", "chapter b.xhtml", "chapter c.xhtml"]);
  });

  test.each([
    ["a missing package", {}, "<package/>", "OPS/none.opf"],
    ["a package without chapters", {}, packageOf([]), "OPS/book.opf"],
    ["chapters that are missing", {}, packageOf([{ href: "none.xhtml" }]), "OPS/book.opf"],
  ])("with %s is damaged", async (_, parts, opf, path) => {
    const bytes = epub(opf, { ...parts, "META-INF/container.xml": CONTAINER.replace("OPS/book.opf", path) });
    expect((await readDocument(bytes)).end).toMatchObject({ status: "damaged", passages: 0 });
  });
});

describe("a protected book", () => {
  const opf = packageOf([{ href: "a%20b.xhtml" }, { href: "font.otf", type: "font/otf", spine: null }]);
  const read = (list: string) =>
    readDocument(epub(opf, { "OPS/a b.xhtml": page("text"), "OPS/font.otf": "", "META-INF/encryption.xml": list }));

  test("is encrypted if a chapter is", async () => {
    const { end } = await read(encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/a%20b.xhtml"));
    expect(end).toMatchObject({ status: "encrypted", detail: "The file is protected against copying.", passages: 0 });
  });

  test.each([
    ["http://www.idpf.org/2008/embedding", "OPS/font.otf"],
    ["http://ns.adobe.com/pdf/enc#RC", "OPS/font.otf"],
    ["http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/font.otf"],
  ])("is read if only a font is, by %s", async (algorithm, uri) => {
    const { end, text } = await read(encryption(algorithm, uri));
    expect([end.status, text]).toEqual(["indexed", "text"]);
  });
});
