import type * as first from "../en/first-steps.ts";
import { number } from "./language.ts";

export const FIRST_STEPS: typeof first.FIRST_STEPS = {
  title: (name) => `Premiers pas pour ${name}`,
  progress: (done, all) => `${number(done)} sur ${number(all)} faites`,
  lead: "Chaque étape a son bouton. La carte disparaît quand les quatre sont faites.",
  done: "Fait",
  hide: "Masquer ces étapes",
  hidden: "Les étapes sont masquées.",
  needsPlace: "Créez d’abord un site.",
  steps: {
    place: {
      title: "Un site",
      help: "Un chantier, un bâtiment ou un quai. Tout le reste appartient à un site.",
      button: "Nouveau site",
    },
    documents: {
      title: "Des documents",
      help: "Déposez des fichiers sur la page du site. La recherche trouve leur texte après un moment.",
      button: "Ajouter des documents",
    },
    people: {
      title: "Des personnes",
      help: "Les membres voient l’organisation. Les invités ne voient que ce que vous partagez avec eux.",
      button: "Ajouter une personne",
    },
    camera: {
      title: "Une caméra",
      help: "Elle envoie une image toutes les quelques minutes, et son archive grandit d’elle-même.",
      button: "Nouvelle caméra",
    },
  },
};
