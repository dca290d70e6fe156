import type * as first from "../en/documents.ts";
import { some } from "./language.ts";

const OFFICE = "application/vnd.openxmlformats-officedocument";
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument";

export const FORMATS: typeof first.FORMATS = {
  byType: {
    "application/pdf": "PDF",
    [`${OFFICE}.wordprocessingml.document`]: "Documento de Word",
    [`${OFFICE}.spreadsheetml.sheet`]: "Hoja de Excel",
    [`${OFFICE}.presentationml.presentation`]: "Presentación de PowerPoint",
    [`${OPEN_DOCUMENT}.text`]: "Documento de texto (ODT)",
    [`${OPEN_DOCUMENT}.spreadsheet`]: "Hoja de cálculo (ODS)",
    [`${OPEN_DOCUMENT}.presentation`]: "Presentación (ODP)",
    "application/rtf": "Documento de texto (RTF)",
    "application/zip": "Archivo ZIP",
    "message/rfc822": "Correo electrónico",
    "text/csv": "Tabla (CSV)",
    "text/html": "Página web",
    "text/markdown": "Texto Markdown",
    "text/plain": "Texto",
  },
  byFamily: { image: "Imagen", audio: "Sonido", video: "Vídeo" },
  variant: (family, kind) => `${family} (${kind})`,
  byEnding: (ending) => `Archivo ${ending}`,
  unknown: "Archivo",
};

export const DOCUMENTS: typeof first.DOCUMENTS = {
  title: "Documentos",
  upload: "Subir",
  uploadFolder: "Subir una carpeta",
  folders: "Carpetas",
  allFolders: "Todos los documentos",
  columns: {
    name: "Nombre",
    version: "Versión",
    text: "Texto",
    size: "Tamaño",
    changed: "Cambio",
    actions: "Acciones",
  },
  none: "Todavía no hay documentos",
  noneHelp:
    "Suelte archivos o carpetas en cualquier parte de esta página. Su texto se lee al llegar, para que la búsqueda lo encuentre.",
  noneReadOnly: "Los documentos que añaden otras personas aparecen aquí.",
  choose: "Elegir archivos",
  drop: "Suelte archivos o carpetas en cualquier parte de esta página, o",
  dropChoose: "elíjalos",
  dropLimit: "hasta 100 MiB cada uno",
  download: (name) => `Descargar ${name}`,
  remove: (name) => `Eliminar ${name}`,
  removed: (name) => `«${name}» está en la papelera.`,
  restored: (name) => `«${name}» ha vuelto.`,
  failed: "No se pudieron leer los documentos",
  downloadFailed: "No se pudo descargar el archivo",
  removeFailed: "El documento no se eliminó",
  restoreFailed: "El documento no se restauró",
  loading: "Leyendo los documentos…",
  added: "se añadió",
  hasVersion: (version) => `tiene la versión ${version}`,
  version: (version) => `v${version}`,
  text: ({ textStatus, pageCount }) => {
    const pages = pageCount === null ? "" : `, ${some(pageCount, "página", "páginas")}`;
    return {
      pending: "Leyendo el texto",
      indexed: `Texto encontrado${pages}`,
      empty: "No se encontró texto",
      encrypted: "Cifrado: no se puede leer el texto",
      damaged: "Dañado: no se puede leer el texto",
      unsupported: "Este tipo de archivo no tiene texto",
      "unknown-charset": "Caracteres desconocidos: no se puede leer el texto",
      "too-large": "Demasiado grande para leer su texto",
      failed: "No se pudo leer el texto",
      recognizing: "Escaneo: reconociendo el texto",
      recognized: `Escaneo: texto reconocido${pages}`,
      illegible: "Imagen: no se encontró texto",
      "recognition-off": "Escaneo: el reconocimiento de texto está desactivado",
      "recognition-limit": "Escaneo: el reconocimiento de texto continúa el mes próximo",
    }[textStatus];
  },
};
