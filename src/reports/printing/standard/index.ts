export { conform } from "./conform";
export { PdfFile } from "./file";
export { type Dict, Ref, UnknownForm, type Value } from "./syntax";
