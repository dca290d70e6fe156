import type * as first from "../en/keys.ts";

export const KEYS: typeof first.KEYS = {
  title: "Teclas",
  single: "Las teclas de un solo carácter están activas",
  archive: "Un archivo tiene sus propias teclas: pulse ? allí.",
  groups: {
    everywhere: "En todas partes",
    search: "Búsqueda",
    documents: "Un documento",
    reports: "Un informe",
    cameras: "El mural de cámaras",
  },
  lines: {
    search: "Buscar en todo",
    keys: "Estas teclas",
    close: "Cerrar una ventana",
    result: "Otro resultado",
    preview: "Mostrar la vista previa",
    open: "Abrir el resultado",
    page: "Otra página",
    wallPage: "Otra página en la sala de control",
    tool: "Otra herramienta de la barra",
    undo: "Deshacer el último cambio",
    redo: "Rehacerlo",
  },
};
