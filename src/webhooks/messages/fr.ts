import type { MESSAGES as english } from "./en";

export const MESSAGES: typeof english = {
  disabled: (name) => `Le webhook « ${name} » est désactivé`,
  reasons: {
    gone: "Son adresse a répondu qu’elle n’existe plus (410).",
    dead: "Son adresse n’a accepté aucune requête depuis trois jours.",
    full: "Trop de ses événements attendent leur livraison.",
    "subscriber-left":
      "La personne dont il utilise l’accès n’est plus membre. Activez-le pour qu’il utilise votre accès.",
    "secret-unreadable":
      "Son secret ne peut pas être lu dans cette installation. Créez un autre secret, puis activez-le.",
  },
};
