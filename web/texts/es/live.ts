import type * as first from "../en/live.ts";

export const LIVE: typeof first.LIVE = {
  lost: (time) => `Sin conexión desde ${time}. La página puede no estar al día.`,
  trying: "Nuevo intento…",
  tryingIn: (seconds) => `Nuevo intento en ${seconds} s.`,
  now: "Intentar ahora",
  moving: (name) =>
    `${name} se está moviendo a otra base de datos. Todo se puede leer; pronto se podrá cambiar de nuevo.`,
  moved: (share) => `${share} hecho`,
};
