export { conform } from "./conform";
export { PdfFile } from "./file";
export { pdfDate } from "./metadata";
export { type Dict, Ref, UnknownForm, type Value } from "./syntax";
