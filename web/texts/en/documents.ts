import type { Document } from "../../../client/src/index.ts";
import { some } from "./language.ts";

const OFFICE = "application/vnd.openxmlformats-officedocument";
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument";

/** The formats of files. */
export const FORMATS = {
  byType: {
    "application/pdf": "PDF",
    [`${OFFICE}.wordprocessingml.document`]: "Word document",
    [`${OFFICE}.spreadsheetml.sheet`]: "Excel spreadsheet",
    [`${OFFICE}.presentationml.presentation`]: "PowerPoint presentation",
    [`${OPEN_DOCUMENT}.text`]: "Text document (ODT)",
    [`${OPEN_DOCUMENT}.spreadsheet`]: "Spreadsheet (ODS)",
    [`${OPEN_DOCUMENT}.presentation`]: "Presentation (ODP)",
    "application/rtf": "Text document (RTF)",
    "application/zip": "ZIP archive",
    "message/rfc822": "E-mail",
    "text/csv": "Table (CSV)",
    "text/html": "Web page",
    "text/markdown": "Markdown text",
    "text/plain": "Text",
  } as Readonly<Record<string, string>>,
  byFamily: { image: "Picture", audio: "Sound", video: "Film" } as Readonly<Record<string, string>>,
  variant: (family: string, kind: string) => `${family} (${kind})`,
  byEnding: (ending: string) => `${ending} file`,
  unknown: "File",
};

/** The texts of documents. */
export const DOCUMENTS = {
  title: "Documents",
  upload: "Upload",
  uploadFolder: "Upload a folder",
  folders: "Folders",
  allFolders: "All documents",
  columns: { name: "Name", version: "Version", text: "Text", size: "Size", changed: "Changed", actions: "Actions" },
  none: "No documents yet",
  noneHelp: "Drop files or folders anywhere on this page. Their text is read as they arrive, so that search finds it.",
  noneReadOnly: "Documents that others add appear here.",
  choose: "Choose files",
  drop: "Drop files or folders anywhere on this page, or",
  dropChoose: "choose them",
  dropLimit: "up to 100 MiB each",
  download: (name: string) => `Download ${name}`,
  remove: (name: string) => `Delete ${name}`,
  removed: (name: string) => `“${name}” is in the trash.`,
  restored: (name: string) => `“${name}” is back.`,
  failed: "The documents could not be read",
  downloadFailed: "The file could not be downloaded",
  removeFailed: "The document was not deleted",
  restoreFailed: "The document was not restored",
  loading: "Reading the documents…",
  added: "was added",
  hasVersion: (version: number) => `has version ${version}`,
  version: (version: number) => `v${version}`,
  text: ({ textStatus, pageCount }: Document): string => {
    const pages = pageCount === null ? "" : `, ${some(pageCount, "page", "pages")}`;
    return {
      pending: "Text is being read",
      indexed: `Text found${pages}`,
      empty: "No text found",
      encrypted: "Encrypted: text cannot be read",
      damaged: "Damaged: text cannot be read",
      unsupported: "No text in this kind of file",
      "unknown-charset": "Unknown characters: text cannot be read",
      "too-large": "Too large for its text to be read",
      failed: "Text could not be read",
      recognizing: "Scan: text is being recognized",
      recognized: `Scan: text recognized${pages}`,
      illegible: "Picture: no text found",
      "recognition-off": "Scan: text recognition is off",
      "recognition-limit": "Scan: text recognition continues next month",
    }[textStatus];
  },
};
