import type { MESSAGES as english } from "./en";

export const MESSAGES: typeof english = {
  disabled: (name) => `El webhook «${name}» está desactivado`,
  reasons: {
    gone: "Su dirección respondió que ya no existe (410).",
    dead: "Su dirección no ha aceptado ninguna solicitud durante tres días.",
    full: "Demasiados de sus eventos esperan su entrega.",
    "subscriber-left": "La persona cuyo acceso utiliza ya no es miembro. Actívelo para que utilice su acceso.",
    "secret-unreadable": "Su secreto no se puede leer en esta instalación. Cree otro secreto y actívelo.",
  },
};
