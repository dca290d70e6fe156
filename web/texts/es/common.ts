import type * as first from "../en/common.ts";
import { number } from "./language.ts";

const PRODUCT = "Espacio de documentos";

export const COMMON: typeof first.COMMON = {
  skip: "Ir al contenido",
  close: "Cerrar",
  cancel: "Cancelar",
  edit: "Editar",
  language: "Idioma",
  tryAgain: "Reintentar",
  loading: "Abriendo esta página…",
  showMore: "Mostrar más",
  toLocations: "Ir a sus sitios",
  requestId: (id) => `Solicitud ${id}`,
  copy: "Copiar",
  copied: "Copiado",
  unexpected: "Algo salió mal. Inténtelo de nuevo.",
  moving:
    "La organización se mueve a otra base de datos, o una copia de seguridad la lee. No se cambió nada. Inténtelo de nuevo pronto.",
  unreachable: "El servicio no responde. Compruebe su conexión e inténtelo de nuevo.",
  notTaken: (reason, status, hasRequestId) => {
    const said = reason ?? `El almacén no aceptó el archivo (respuesta ${status}).`;
    const again = `${said} Suba el archivo de nuevo.`;
    const toSay = "Si vuelve a fallar, indique al operador de este servicio el nombre del archivo y la hora";
    return hasRequestId ? again : `${again} ${toSay}: el almacén no nombró ninguna solicitud.`;
  },
  product: PRODUCT,
  titleOf: (view) => `${view} · ${PRODUCT}`,
  undo: "Deshacer",
  keys: {
    ctrl: "Ctrl",
    end: "Fin",
    enter: "Intro",
    esc: "Esc",
    home: "Inicio",
    remove: "Supr",
    shift: "Mayús",
    space: "Espacio",
  },
  named: (name, value) => `${name}: ${value}`,
  lessThan: (share) => `menos de ${share}`,
  moreThan: (share) => `más de ${share}`,
  length: {
    days: (count) => `${number(count)} d`,
    hours: (count) => `${count} h`,
    minutes: (count) => `${count} min`,
    none: "menos de un minuto",
  },
  viewFailed: "No se pudo cargar esta página",
  viewChanged:
    "No se pudieron leer sus archivos: quizá el servicio se actualizó, o se cortó la conexión. Recargue la página.",
  /** Time zones, which people choose by a city. */
  zone: {
    label: "Zona horaria, por ciudad",
    now: (time) => `Allí son ahora las ${time}.`,
    city: (city, country) => `${city}, ${country}`,
  },
  browserLanguage: "Idioma del navegador",
  languageFailed: "Su idioma no se guardó",
};
