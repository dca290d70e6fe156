import { env } from "cloudflare:workers";
import { PhotonImage } from "@cf-wasm/photon/workerd";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { loadCredential, userRef } from "../../../src/access";
import { encodeJpeg, pictureOfRgba } from "../../../src/platform/jpeg";
import { openPrinter } from "../../../src/reports";
import { prepareReport, renderInput } from "../../../src/reports/rendering/render";
import { reports } from "../../../src/reports/tables";
import { uploadDocument } from "../../support/documents";
import { mintLocation, mintOrganization } from "../../support/factories";
import { systemContext } from "../../support/jobs";
import { scene } from "../../support/pictures";
import { mintReport, mintTemplate } from "../../support/reports";
import { testDatabase } from "../../support/statements";
import { ofLayout, readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** A draft, printed with the default wrapper unless a layout is given. */
async function printed(
  contentJson: Record<string, unknown>,
  layout = "",
  files: Record<string, [number, number] | Uint8Array<ArrayBuffer>> = {},
) {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const jpeg = ([width, height]: [number, number]) =>
    Uint8Array.from(encodeJpeg(pictureOfRgba(scene(width, height), width, height), 88));
  for (const [fileName, file] of Object.entries(files)) {
    const bytes = file instanceof Uint8Array ? file : jpeg(file);
    const contentType = file instanceof Uint8Array ? "application/octet-stream" : "image/jpeg";
    await uploadDocument(owner.token, location.id, { path: "", fileName, bytes, contentType });
  }
  const template = await mintTemplate({ organizationId }, { htmlLayoutTemplate: layout });
  const reportId = await mintReport({ organizationId }, location, { templateId: template.id, contentJson });
  const context = systemContext();
  const [report] = await testDatabase().select().from(reports).where(eq(reports.id, reportId));
  const credential = userRef(owner.userId);
  const live = await loadCredential(context, credential, Date.now());
  if (report === undefined || live === null) throw new Error("nothing to print");
  const { input } = await prepareReport(context, report, { facts: live.facts, credential });
  const page = await renderInput(context, input, "make");
  const html = [...page.html].join("");
  const { pdf, warnings } = await openPrinter(env).print(async () => ({ ...page, html: [html], madeAt: 0 }));
  return {
    html,
    missing: page.missingImages,
    pdf: await readPdf(pdf),
    warnings: ofLayout(warnings),
    standards: warnings.filter(({ code }) => code.startsWith("not-")),
    size: pdf.length,
  };
}

test("a report without text has only its cover, and one with text has no blank page", async () => {
  expect((await printed({ body: "" })).pdf.pages).toHaveLength(1);
  const { pdf } = await printed({ body: "Dry and sound." });
  expect(pdf.pages).toHaveLength(2);
  expect(pdf.pages[1]?.text).toContain("Dry and sound.");
});

test("long code begins below its heading and continues on the next pages", async () => {
  const lines = Array.from({ length: 140 }, (_, n) => `reading-${n}`).join("\n");
  const { pdf } = await printed({ body: `# Readings\n\n\`\`\`\n${lines}\n\`\`\`` });
  const first = pdf.pages.find(({ text }) => text.includes("reading-0 ") || text.endsWith("reading-0"));
  expect(first?.text).toContain("Readings");
  expect(pdf.pages.map(({ text }) => text).join(" ")).toContain("reading-139");
});

test("a picture is one figure with an alternative text", async () => {
  const body = "![Front](front.jpg)\n\nSee ![](small.jpg) here.\n\n![Lost](lost.jpg)";
  const size: [number, number] = [60, 40];
  const files = { "front.jpg": size, "small.jpg": size, "side.jpg": size };
  const { pdf } = await printed({ body, more: ["side.jpg"] }, '{{body_html}}{{image_list "more" 2}}', files);
  expect(pdf.pages.flatMap(({ figures }) => figures)).toEqual([
    "Front",
    "small.jpg",
    "Picture missing: lost.jpg",
    "side.jpg",
  ]);
});

test.each([
  ["with its own layout", '{{image_list "photos" 2}}'],
  ["in the default wrapper", ""],
])("a gallery %s shows whole pictures and never enlarges small ones", async (_, layout) => {
  const { pdf } = await printed({ photos: ["wide.jpg", "small.jpg"] }, layout, {
    "wide.jpg": [1_200, 300],
    "small.jpg": [60, 40],
  });
  const [wide, small] = pdf.pages.flatMap(({ pictures }) => pictures);
  expect(wide?.width).toBeGreaterThan(150);
  expect(wide?.width).toBeLessThan(300);
  expect((wide?.width ?? 0) / (wide?.height ?? 1)).toBeCloseTo(4, 0);
  expect(small).toEqual({ width: 45, height: 30 });
});

/** Words in Hebrew and Arabic that the fonts of any machine have, next to Latin ones. */
const [HEBREW, ARABIC] = ["שלום", "مرحبا"];

test("right-to-left text begins at the right in every kind of block", async () => {
  const body = [
    `# ${HEBREW} 1`,
    `${ARABIC} 2.`,
    `- ${HEBREW} 3\n- ${HEBREW} 4`,
    `> ${ARABIC} 5`,
    `| ${HEBREW} 6 | ${HEBREW} 7 |\n|---|---|\n| ${HEBREW} 8 | ${HEBREW} 9 |`,
    "Latin 10",
  ].join("\n\n");
  const { pdf, html } = await printed({ site: `${HEBREW} 11`, body });
  const page = pdf.pages[1];
  if (page === undefined) throw new Error("the report has no page after its cover");
  const at = (text: string) => page.texts.find((piece) => piece.text === text);
  const right = page.width - 57;
  // The number of each block is at the left of its word. The word is at the right edge, minus the inset of the block.
  expect(["1", ".2", "3", "4", "5", "6", "8"].filter((text) => (at(text)?.left ?? 0) < right - 70)).toEqual([]);
  expect(at("7")?.right).toBeLessThan(at("6")?.left ?? 0);
  expect(at("11")?.right).toBeLessThan(page.texts.find(({ text, left }) => text === HEBREW && left < 300)?.left ?? 0);
  expect(at("Latin 10")?.left).toBe(57);
  expect(html).toContain(`<p dir="auto">${ARABIC} 2.</p>`);
});

/** A WebP file that another encoder wrote. */
function webp(width: number, height: number): Uint8Array<ArrayBuffer> {
  const image = new PhotonImage(scene(width, height), width, height);
  const bytes = Uint8Array.from(image.get_bytes_webp());
  image.free();
  return bytes;
}

test("WebP above four megapixels is scaled by the browser that prints, and a damaged file is named", async () => {
  const large = webp(2_400, 1_800);
  const bomb = webp(8, 8);
  new DataView(bomb.buffer).setUint32(21, 6_000 | (3_999 << 14), true);
  const body = "![Plan](large.webp)\n\n![Torn](torn.webp)\n\n![Vast](vast.webp)";
  const files = { "large.webp": large, "torn.webp": large.slice(0, 2_000), "vast.webp": bomb };
  const { html, missing, pdf, warnings, size } = await printed({ body }, "{{body_html}}", files);
  expect(html).toContain('<img src="data:image/webp;base64,');
  expect(missing).toMatchObject([{ image: "vast.webp", code: "too-large" }]);
  expect(warnings).toMatchObject([{ code: "picture-damaged", at: "Torn" }]);
  expect(pdf.pages.flatMap(({ pictures }) => pictures)).toHaveLength(1);
  expect(pdf.pages[0]?.figures).toContain("Plan");
  expect(pdf.pages.map(({ text }) => text).join(" ")).toContain("Torn");
  // The picture is scaled and stored as a JPEG. Its raw pixels would take twelve million bytes.
  expect(size).toBeLessThan(2_000_000);
});

test("a task list has boxes, ticked or not, without numbers or bullets", async () => {
  const { pdf, html } = await printed({ body: "1. [x] Rust\n2. [ ] Paint\n\n---\n\n1. Ladder" }, "{{body_html}}");
  const [page] = pdf.pages;
  expect(html.match(/type="checkbox"/g)).toHaveLength(2);
  expect(page?.text.match(/\d\./g)).toEqual(["1."]);
  for (const word of ["Rust", "Paint", "Ladder"]) expect(page?.text).toContain(word);
});

test("lines for signatures are in the report's language, together on one page, and tagged in order", async () => {
  const body = `${"<p>Text</p>".repeat(40)}

<section data-signatures="Prüfer: Mara &amp; Lind, Bauherr <b>, , "><h2>Unterschriften</h2></section>`;
  const { pdf, html, standards } = await printed({ language: "de", body: `# Abnahme\n\n${body}` });
  expect(html.match(/<div class="report-signature">/g)).toHaveLength(2);
  expect(html).toContain("Bauherr &lt;b&gt;</p>");
  const [page] = pdf.pages.filter(({ text }) => text.includes("Unterschriften"));
  const words = "Unterschriften Prüfer Name Mara & Lind Ort Datum Unterschrift Bauherr <b> Name Ort Datum Unterschrift";
  expect(page?.text.replace(/\s+/g, " ")).toContain(words);
  expect(standards).toEqual([]);
});

test("signatures on lines of their own can have names with a comma", async () => {
  const body = `# Done\n\n<section data-signatures="\nInspector: Lind, Mara\nClient\n"></section>`;
  const { html } = await printed({ body });
  expect(html.match(/<div class="report-signature">/g)).toHaveLength(2);
  expect(html).toContain("Lind, Mara");
});

test("a section for signatures without roles has one", async () => {
  const { html, pdf } = await printed({ body: "# Done\n\n<section data-signatures></section>" });
  expect(html.match(/<div class="report-signature">/g)).toHaveLength(1);
  expect(pdf.pages.at(-1)?.text.replace(/\s+/g, " ")).toContain("Name Place Date Signature");
});
