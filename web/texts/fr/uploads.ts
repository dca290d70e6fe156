import type * as first from "../en/uploads.ts";
import { some } from "./language.ts";

export const UPLOADS: typeof first.UPLOADS = {
  title: "Envois",
  summary: (done, all) => `${done} sur ${some(all, "fichier envoyé", "fichiers envoyés")}`,
  failedSome: (failed) => `${some(failed, "fichier non envoyé", "fichiers non envoyés")}`,
  waiting: "En attente",
  checking: "Calcul de la somme de contrôle",
  sending: (sent, total) => `${sent} sur ${total}`,
  finishing: "Vérification",
  done: "Envoyé",
  cancelled: "Annulé",
  cancel: (name) => `Annuler l’envoi de ${name}`,
  retry: (name) => `Envoyer ${name} à nouveau`,
  progress: (name) => `Envoi de ${name}`,
  clear: "Vider la liste",
  cancelAll: "Tout annuler",
  tooLarge: "Le fichier a plus de 100 MiB.",
  unreadable: "Le navigateur ne peut pas lire ce fichier. Il a peut-être changé : choisissez-le à nouveau.",
};
