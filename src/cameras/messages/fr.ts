import { list, number } from "../../platform/languages/fr";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  names: (shown, more) => list(shown) + (more > 0 ? ` et ${number(more)} ${more === 1 ? "autre" : "autres"}` : ""),
  offline: (cameras) =>
    cameras === 1
      ? "Une caméra est muette : elle ne donne aucun signe"
      : `${number(cameras)} caméras sont muettes : elles ne donnent aucun signe`,
  noImages: (cameras) =>
    cameras === 1
      ? "Une caméra est muette : elle n’envoie pas d’images"
      : `${number(cameras)} caméras sont muettes : elles n’envoient pas d’images`,
  back: (cameras) => (cameras === 1 ? "Une caméra est de retour" : `${number(cameras)} caméras sont de retour`),
  at: (location, cameras) => `${location} : ${cameras}`,
  because: (cameras, fault) => `${cameras}. ${fault}`,
  exportReady: "Un export est prêt à être téléchargé",
  rejected: "Une caméra a envoyé une image qui a été refusée",
  rejectedBecause: (camera, reason) => `${camera} : ${reason}`,
};

export const FAULTS: typeof first.FAULTS = {
  byCode: {
    "camera-failed": "La caméra ne donne pas d’image.",
    "camera-frozen": "La caméra répète une image.",
    "camera-open-failed": "L’appareil ne peut pas ouvrir sa caméra.",
    "camera-timeout": "La caméra ne répond pas à son appareil.",
    "camera-unauthorized": "La caméra refuse le mot de passe de son appareil.",
    "camera-unreachable": "L’appareil n’atteint pas sa caméra.",
    "captures-refused": "Le service a refusé des images de l’appareil.",
    "clock-unsynchronized": "L’appareil ne connaît pas l’heure.",
    "credential-revoked": "L’appareil n’a plus d’accès. Appairez-le à nouveau.",
    "disk-full": "Le disque de l’appareil est plein.",
    "disk-read-only": "On ne peut pas écrire sur le disque de l’appareil.",
    "folder-unreadable": "L’appareil ne peut pas lire le dossier de ses images.",
    "frame-damaged": "Les images de la caméra sont endommagées.",
    "frame-normalised": "L’appareil corrige les fichiers de la caméra.",
    "frame-not-jpeg": "Les fichiers de la caméra ne sont pas des images JPEG.",
    "frame-too-large": "Les images de la caméra sont trop grandes.",
    "frames-thinned": "Le disque de l’appareil était plein, et il a supprimé des images.",
    "identity-shared": "Deux appareils utilisent cette identité. Appairez chaque appareil avec sa propre caméra.",
    "local-file-damaged": "Le disque de l’appareil endommage des images.",
    "receipt-mismatch": "Le service a confirmé d’autres images que celles envoyées par l’appareil.",
    "storage-full": "Le stockage de l’organisation est plein.",
  },
  other: (code) => `L’appareil dit : ${code}`,
};
