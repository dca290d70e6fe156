import type * as first from "../en/folders.ts";
import { number, some } from "./language.ts";

export const FOLDERS: typeof first.FOLDERS = {
  title: "Dossiers",
  create: "Nouveau dossier",
  name: "Nom",
  createHelp: "Le dossier est créé dans le dossier affiché.",
  createFailed: "Le dossier n’a pas été créé",
  created: (name) => `Le dossier «\u00a0${name}\u00a0» est prêt.`,
  rename: (name) => `Renommer le dossier ${name}`,
  renameFailed: "Le dossier n’a pas été renommé",
  move: (name) => `Déplacer le dossier ${name}`,
  moveSend: "Déplacer",
  into: "Déplacer dans le dossier",
  intoHelp: "Par exemple «\u00a0inspections/2026\u00a0». Laissez vide pour le premier niveau du site.",
  moveFailed: "Le dossier n’a pas été déplacé",
  moved: (name) => `Le dossier «\u00a0${name}\u00a0» est déplacé.`,
  movedTo: (name, location) => `Le dossier «\u00a0${name}\u00a0» est maintenant sur le site ${location}.`,
  remove: (name) => `Supprimer le dossier ${name}`,
  removed: (name, documents) =>
    documents === 0
      ? `Le dossier «\u00a0${name}\u00a0» est supprimé.`
      : `Le dossier «\u00a0${name}\u00a0» est supprimé. ${some(documents, "document est", "documents sont")} dans la corbeille.`,
  removeFailed: "Le dossier n’a pas été supprimé",
  undone: (name) => `Le dossier «\u00a0${name}\u00a0» est comme avant.`,
  undoFailed: "La modification n’a pas été annulée",
  left: (count, reason) => `${some(count, "document reste", "documents restent")}\u00a0: ${reason}`,
  stopped: "L’opération s’est arrêtée, car le site a été supprimé.",
  running: {
    move: (name) => `Déplacement du dossier «\u00a0${name}\u00a0»`,
    delete: (name) => `Suppression du dossier «\u00a0${name}\u00a0»`,
    restore: (name) => `Restauration du dossier «\u00a0${name}\u00a0»`,
  },
  progress: (done, total) => `${number(done)} sur ${some(total, "document", "documents")}`,
  failed: "Les dossiers n’ont pas pu être lus",
};
