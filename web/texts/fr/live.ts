import type * as first from "../en/live.ts";

export const LIVE: typeof first.LIVE = {
  lost: (time) => `Pas de connexion depuis ${time}. La page n’est peut-être plus à jour.`,
  trying: "Nouvel essai…",
  tryingIn: (seconds) => `Nouvel essai dans ${seconds} s.`,
  now: "Essayer maintenant",
  moving: (name) =>
    `${name} est en cours de déplacement vers une autre base de données. Tout reste lisible ; les modifications seront bientôt possibles.`,
  moved: (share) => `${share} fait`,
};
