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
  offline: "Pas de connexion. L’envoi reprend tout seul.",
  paused: "En pause",
  pause: (name) => `Mettre en pause l’envoi de ${name}`,
  goOn: (name) => `Reprendre l’envoi de ${name}`,
  tryNow: (name) => `Réessayer l’envoi de ${name} maintenant`,
  unfinished: "Envois inachevés",
  left: (sent, total) => `${sent} sur ${total} sont déjà là.`,
  chooseAgain: "Choisissez le même fichier pour reprendre",
  cancel: (name) => `Annuler l’envoi de ${name}`,
  retry: (name) => `Envoyer ${name} à nouveau`,
  progress: (name) => `Envoi de ${name}`,
  clear: "Vider la liste",
  cancelAll: "Tout annuler",
  tooLarge: "Le fichier a plus de 2 GiB.",
  unreadable: "Le navigateur ne peut pas lire ce fichier. Il a peut-être changé : choisissez-le à nouveau.",
};
