import type { Format } from "../detect";
import type { Extractor } from "../extracted";
import { extractDoc } from "./doc";
import { extractDocx } from "./docx";
import { extractMail } from "./eml";
import { extractEpub } from "./epub";
import { extractHtml } from "./html";
import { extractJson } from "./json";
import { extractMsg } from "./msg";
import { extractOds } from "./ods";
import { extractOdp, extractOdt } from "./open-document";
import { extractPdf } from "./pdf";
import { extractPpt } from "./ppt";
import { extractPptx } from "./pptx";
import { extractRtf } from "./rtf";
import { extractCsv, extractMarkdown, extractPlain } from "./text";
import { extractXls } from "./xls";
import { extractXlsx } from "./xlsx";

/** The extractor of each format. */
export const EXTRACTORS: Readonly<Record<Format, Extractor>> = {
  pdf: extractPdf,
  docx: extractDocx,
  xlsx: extractXlsx,
  pptx: extractPptx,
  odt: extractOdt,
  ods: extractOds,
  odp: extractOdp,
  epub: extractEpub,
  rtf: extractRtf,
  html: extractHtml,
  markdown: extractMarkdown,
  plain: extractPlain,
  csv: extractCsv,
  json: extractJson,
  eml: extractMail,
  msg: extractMsg,
  doc: extractDoc,
  xls: extractXls,
  ppt: extractPpt,
};

export { readWholeMail } from "./eml-text";
export { filesOfMsg } from "./msg";
export { type AttachedFile, filesOfPdf } from "./pdf-files";
