import type * as first from "../en/share-viewer.ts";

export const SHARE_VIEWER: typeof first.SHARE_VIEWER = {
  title: "Cámaras compartidas",
  opening: "Abriendo el enlace…",
  incomplete: "Este enlace no está completo.",
  incompleteHelp:
    "Abra el enlace entero, exactamente como lo recibió. Si sigue sin funcionar, pida uno nuevo a la persona que se lo dio.",
  ended: "Este enlace ha terminado.",
  endedHelp: "Pida uno nuevo a la persona que se lo dio.",
  empty: "Ahora no hay nada que ver aquí.",
  emptyHelp: "Las cámaras de este enlace ya no existen.",
  passcode: {
    title: "Este enlace tiene una clave",
    label: "Clave",
    help: "La tiene la persona que le envió el enlace.",
    send: "Abrir el enlace",
    failed: "El enlace no se abrió",
  },
  cameras: "Cámaras",
  all: "Todas las cámaras",
  latest: (time) => `Última imagen, ${time}`,
  theme: "Claro u oscuro",
};
