import type * as first from "../en/share-viewer.ts";

export const SHARE_VIEWER: typeof first.SHARE_VIEWER = {
  title: "Caméras partagées",
  opening: "Ouverture du lien…",
  incomplete: "Ce lien n’est pas complet.",
  incompleteHelp:
    "Ouvrez le lien entier, exactement comme vous l’avez reçu. S’il ne fonctionne toujours pas, demandez-en un nouveau à la personne qui vous l’a donné.",
  ended: "Ce lien est terminé.",
  endedHelp: "Demandez-en un nouveau à la personne qui vous l’a donné.",
  empty: "Il n’y a rien à voir ici maintenant.",
  emptyHelp: "Les caméras de ce lien n’existent plus.",
  passcode: {
    title: "Ce lien a un code d’accès",
    label: "Code d’accès",
    help: "La personne qui vous a envoyé le lien le connaît.",
    send: "Ouvrir le lien",
    failed: "Le lien n’a pas été ouvert",
  },
  cameras: "Caméras",
  all: "Toutes les caméras",
  latest: (time) => `Dernière image, ${time}`,
  theme: "Clair ou sombre",
};
