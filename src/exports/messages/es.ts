import { number } from "../../platform/languages/es";
import type { MESSAGES as english } from "./en";

export const MESSAGES: typeof english = {
  ready: "Una exportación está lista para descargar",
  ownData: "Sus propios datos",
  made: (day: string) => `Exportado el ${day} (UTC)`,
  search: "Buscar en los nombres de los documentos",
  documents: "Documentos",
  images: "Imágenes de cámaras, por días",
  name: "Nombre",
  bytes: "Bytes",
  date: "Fecha (UTC)",
  rows: "Todo lo demás",
  rowsHelp:
    "La carpeta data contiene las filas del servicio, por ejemplo informes, anotaciones y miembros: un objeto JSON por línea. data/schema.json las describe.",
  missing: (count: number) => `${number(count)} archivos ya no existen en el servicio.`,
};
