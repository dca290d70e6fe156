import type * as first from "../en/documents.ts";
import { some } from "./language.ts";

const OFFICE = "application/vnd.openxmlformats-officedocument";
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument";

export const FORMATS: typeof first.FORMATS = {
  byType: {
    "application/pdf": "PDF",
    [`${OFFICE}.wordprocessingml.document`]: "Word-Dokument",
    [`${OFFICE}.spreadsheetml.sheet`]: "Excel-Tabelle",
    [`${OFFICE}.presentationml.presentation`]: "PowerPoint-Präsentation",
    [`${OPEN_DOCUMENT}.text`]: "Textdokument (ODT)",
    [`${OPEN_DOCUMENT}.spreadsheet`]: "Tabelle (ODS)",
    [`${OPEN_DOCUMENT}.presentation`]: "Präsentation (ODP)",
    "application/rtf": "Textdokument (RTF)",
    "application/zip": "ZIP-Archiv",
    "message/rfc822": "E-Mail",
    "text/csv": "Tabelle (CSV)",
    "text/html": "Webseite",
    "text/markdown": "Markdown-Text",
    "text/plain": "Text",
  },
  byFamily: { image: "Bild", audio: "Ton", video: "Film" },
  variant: (family, kind) => `${family} (${kind})`,
  byEnding: (ending) => `${ending}-Datei`,
  unknown: "Datei",
};

export const DOCUMENTS: typeof first.DOCUMENTS = {
  title: "Dokumente",
  upload: "Hochladen",
  uploadFolder: "Ordner hochladen",
  folders: "Ordner",
  allFolders: "Alle Dokumente",
  columns: { name: "Name", version: "Version", text: "Text", size: "Größe", changed: "Geändert", actions: "Aktionen" },
  none: "Noch keine Dokumente",
  noneHelp:
    "Ziehen Sie Dateien oder Ordner irgendwo auf diese Seite. Ihr Text wird beim Eintreffen gelesen, sodass die Suche ihn findet.",
  noneReadOnly: "Dokumente, die andere hinzufügen, erscheinen hier.",
  choose: "Dateien wählen",
  drop: "Ziehen Sie Dateien oder Ordner irgendwo auf diese Seite, oder",
  dropChoose: "wählen Sie sie",
  dropLimit: "je bis zu 100 MiB",
  download: (name) => `${name} herunterladen`,
  remove: (name) => `${name} löschen`,
  removed: (name) => `„${name}“ ist im Papierkorb.`,
  restored: (name) => `„${name}“ ist wieder da.`,
  failed: "Die Dokumente konnten nicht gelesen werden",
  downloadFailed: "Die Datei konnte nicht heruntergeladen werden",
  removeFailed: "Das Dokument wurde nicht gelöscht",
  restoreFailed: "Das Dokument wurde nicht wiederhergestellt",
  loading: "Die Dokumente werden gelesen…",
  added: "wurde hinzugefügt",
  hasVersion: (version) => `hat Version ${version}`,
  version: (version) => `v${version}`,
  text: ({ textStatus, pageCount }) => {
    const pages = pageCount === null ? "" : `, ${some(pageCount, "Seite", "Seiten")}`;
    return {
      pending: "Text wird gelesen",
      indexed: `Text gefunden${pages}`,
      empty: "Kein Text gefunden",
      encrypted: "Verschlüsselt: Text nicht lesbar",
      damaged: "Beschädigt: Text nicht lesbar",
      unsupported: "Kein Text in dieser Art von Datei",
      "unknown-charset": "Unbekannte Zeichen: Text nicht lesbar",
      "too-large": "Zu groß, um den Text zu lesen",
      failed: "Text nicht lesbar",
      recognizing: "Scan: Text wird erkannt",
      recognized: `Scan: Text erkannt${pages}`,
      illegible: "Bild: kein Text gefunden",
      "recognition-off": "Scan: Texterkennung ist aus",
      "recognition-limit": "Scan: Texterkennung geht im nächsten Monat weiter",
    }[textStatus];
  },
};
