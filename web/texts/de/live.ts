import type * as first from "../en/live.ts";

export const LIVE: typeof first.LIVE = {
  lost: (time) => `Keine Verbindung seit ${time}. Die Seite kann veraltet sein.`,
  trying: "Neuer Versuch…",
  tryingIn: (seconds) => `Neuer Versuch in ${seconds} s.`,
  now: "Jetzt versuchen",
  moving: (name) => `${name} zieht in eine andere Datenbank um. Alles ist lesbar; Änderungen sind bald wieder möglich.`,
  moved: (share) => `${share} fertig`,
};
