import type * as first from "../en/live.ts";

export const LIVE: typeof first.LIVE = {
  lost: (time) => `Sin conexión desde ${time}. La página puede no estar al día.`,
  trying: "Nuevo intento…",
  tryingIn: (seconds) => `Nuevo intento en ${seconds} s.`,
  now: "Intentar ahora",
};
