import { escapeHtml } from "../../platform/html";
import { DEFAULT_LANGUAGE, type ReaderLanguage } from "../../platform/languages/languages";
import { toUtc } from "../../platform/time";
import { type ExportedFile, readPage, readPages } from "../manifest";
import { MESSAGES } from "../messages";
import type { Place, PlaceOf } from "./state";
import type { Writer } from "./writer";

/** The texts of the pages, in the language of the person who asked for the export. */
type Texts = (typeof MESSAGES)[ReaderLanguage];

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:70rem;margin:0 auto;padding:1rem}
table{width:100%;border-collapse:collapse}th,td{padding:.25rem .5rem;text-align:start;vertical-align:top;border-bottom:1px solid #8886}
td:first-child{overflow-wrap:anywhere}td+td,th+th{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums}
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem}.none{display:none}
@media(max-width:30rem){td:nth-child(3),th:nth-child(3){display:none}}`;

const SCRIPT = `const rows=[...document.querySelectorAll("#documents tr")],field=document.querySelector("input");
const names=rows.map(row=>row.textContent.toLowerCase());
field.oninput=()=>{const words=field.value.toLowerCase().split(/\\s+/);
rows.forEach((row,n)=>row.classList.toggle("none",!words.every(word=>names[n].includes(word))))};`;

const hashOf = async (text: string): Promise<string> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toBase64();

/** The head of the index. The policy allows its own script and nothing from a network. */
async function headOf(language: ReaderLanguage, title: string, day: string, missing: number): Promise<string> {
  const texts = MESSAGES[language];
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${await hashOf(SCRIPT)}'`;
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(title)}</h1><p>${escapeHtml(texts.made(day))}</p>${missing > 0 ? `<p>${escapeHtml(texts.missing(missing))}</p>` : ""}
<h2>${texts.rows}</h2><p>${texts.rowsHelp}</p>
<h2>${texts.documents}</h2><p><input type="search" aria-label="${texts.search}" placeholder="${texts.search}"></p>
${tableHead(texts, "documents")}`;
}

const tableHead = (texts: Texts, id: string): string =>
  `<table><thead><tr><th>${texts.name}</th><th>${texts.bytes}</th><th>${texts.date}</th></tr></thead><tbody id="${id}">\n`;

const TAIL = `</tbody></table><script>${SCRIPT}</script></body></html>\n`;

/** The address of a file from the index. */
const hrefOf = (name: string): string => escapeHtml(name.split("/").map(encodeURIComponent).join("/"));

const rowOf = (href: string, name: string, sizeBytes: number | null, at: number): string =>
  `<tr><td><a href="${hrefOf(href)}">${escapeHtml(name)}</a></td><td>${sizeBytes ?? ""}</td><td>${toUtc(at).slice(0, 10)}</td></tr>\n`;

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf("/") + 1);

/** Adds the files of the next page of the manifest to the index: documents one by one, images by their folders. */
export async function addToIndex(
  writer: Writer,
  from: PlaceOf<"index">,
  title: string,
  missing: number,
): Promise<Place> {
  const { context, row } = writer;
  const language = row.language ?? DEFAULT_LANGUAGE;
  const texts = MESSAGES[language];
  if (from.page === 0) {
    writer.begin("index.html");
    writer.write(await headOf(language, title, toUtc(row.createdAt).slice(0, 10), missing));
  }
  const page = (await readPages(context, row.id))[from.page];
  if (page === undefined) {
    writer.write(TAIL);
    writer.end();
    return { step: "last" };
  }
  let { list, folder } = from;
  let html = "";
  const add = (file: ExportedFile) => {
    if (file.list === "document") {
      html += rowOf(file.name, file.name.replace(/^documents\//, ""), file.sizeBytes, file.modifiedAt);
    } else if (file.list === "image" && folderOf(file.name) !== folder) {
      if (list !== "image") html += `</tbody></table><h2>${texts.images}</h2>${tableHead(texts, "images")}`;
      list = "image";
      folder = folderOf(file.name);
      html += rowOf(folder, folder.replace(/^images\//, ""), null, file.modifiedAt);
    }
  };
  for (const file of await readPage(context, page.objectKey)) add(file);
  writer.write(html);
  return { step: "index", page: from.page + 1, list, folder };
}
