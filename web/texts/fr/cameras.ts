import { faultInWords } from "../../../src/cameras/faults.ts";
import { FAULTS } from "../../../src/cameras/messages/fr.ts";
import type * as first from "../en/cameras.ts";
import { list, number, some } from "./language.ts";

export const WALL: typeof first.WALL = {
  title: "Caméras",
  summary: (cameras, places) => `${some(cameras, "caméra", "caméras")} sur ${some(places, "site", "sites")}.`,
  trouble: (count) => {
    const KINDS = {
      silent: ["muette", "muettes"],
      late: ["en retard", "en retard"],
      unpaired: ["non appairée", "non appairées"],
      paused: ["en pause", "en pause"],
      revoked: ["sans accès", "sans accès"],
    } as const;
    const parts = (Object.keys(KINDS) as (keyof typeof KINDS)[])
      .map((kind) => ({ kind, number: count(kind) }))
      .filter(({ number }) => number > 0)
      .map(({ kind, number }) => some(number, `est ${KINDS[kind][0]}`, `sont ${KINDS[kind][1]}`));
    return parts.length === 0 ? "Toutes fonctionnent." : `${list(parts)}.`;
  },
  create: "Nouvelle caméra",
  filters: "Montrer",
  all: "Toutes",
  onlyTrouble: "Problèmes",
  sort: "Ordre",
  sorts: { trouble: "Problèmes d’abord", place: "Site", name: "Nom" },
  none: (name) => `Pas encore de caméra dans ${name}`,
  noneHere: "Pas encore de caméra ici",
  noneHelp:
    "Une caméra envoie une image à intervalles de quelques minutes, et ses archives grandissent toutes seules. Créez la première, puis appairez son appareil.",
  noneReadOnly: "Les caméras que vous pouvez voir apparaissent ici.",
  personal: "Les caméras appartiennent à une organisation. Choisissez-en une en haut, ou créez-en une.",
  off: (name) => `Les caméras sont désactivées pour ${name}`,
  offForOwner: (name) =>
    `Un administrateur de ce service active les caméras. Demandez aux personnes qui l’exploitent, et nommez votre organisation : ${name}.`,
  offForMember: (name) =>
    `Un administrateur de ce service active les caméras. Demandez à un propriétaire de ${name} d’en faire la demande.`,
  offForAdmin: "Vous administrez ce service : activez les caméras sous Admin, Organisations.",
  switchOn: "Ouvrir les organisations",
  nothing: "Aucune caméra ne correspond à ce filtre",
  nothingHelp: "Choisissez un autre filtre, ou montrez toutes les caméras.",
  showAll: "Montrer toutes les caméras",
  failed: "Les caméras n’ont pas pu être lues",
  loading: "Lecture des caméras…",
  picture: (name) => `Dernière image de ${name}`,
  noPicture: "Pas encore d’image",
  lastDayNone: "Aucune image ces dernières 24 heures.",
  lastDay: (gaps) =>
    gaps === 0
      ? "Dernières 24 heures : aucune interruption."
      : `Dernières 24 heures : ${some(gaps, "interruption", "interruptions")}.`,
  manage: (name) => `Réglages et appareil de ${name}`,
  manageShort: "Réglages et appareil",
  historical: "Caméras qui étaient ici auparavant",
  historicalFailed: "Les caméras qui étaient ici auparavant n’ont pas pu être lues",
  historicalHelp: (left) => `Partie le ${left}`,
  retired: "Mise hors service",
};

export const STATE: typeof first.STATE = {
  now: "maintenant",
  ago: (length) => `il y a ${length}`,
  lastAt: (time) => `Dernière à ${time}`,
  noPicture: "Pas encore d’image",
  paused: "En pause",
  retired: "Hors service : elle ne prend plus d’images",
  revoked: "Son appareil n’a pas d’accès : appairez-le à nouveau",
  unpaired: "Pas encore appairée",
  pending: "Attend que son appareil utilise le code d’appairage",
  waiting: "Attend la première image",
  closed: (until) =>
    until === null ? "Hors des heures de prise de vue" : `Hors des heures de prise de vue jusqu’à ${until}`,
  late: (queued) =>
    queued > 0
      ? `En retard : ${some(queued, "image attend", "images attendent")} sur la caméra`
      : "En retard : la prochaine image est attendue",
  offline: (length) => `Muette depuis ${length} : aucun signe de vie`,
  fault: (length, code) =>
    code === null
      ? `Muette depuis ${length} : panne de caméra`
      : `Muette depuis ${length}. ${faultInWords(FAULTS, code)}`,
  faultAndCode: (code) => `${faultInWords(FAULTS, code)} (${code})`,
};

export const CAMERA: typeof first.CAMERA = {
  parts: "Parties de la caméra",
  back: "Toutes les caméras",
  archive: "Ouvrir les archives",
  gone: "Cette caméra ne peut pas être montrée",
  failed: "La caméra n’a pas pu être lue",
  loading: "Lecture de la caméra…",
  tabs: { settings: "Réglages", device: "Appareil", review: "Contrôle" },
  pause: "Mettre en pause",
  resume: "Reprendre",
  pauseFailed: "La caméra n’a pas été modifiée",
  pair: "Appairer un appareil",
  pairAgain: "Appairer un autre appareil",
  pairHelp: "Saisissez ce code sur l’appareil. Il sert une seule fois. Un appareil déjà appairé perd son accès.",
  pairStart: "Créer un code d’appairage",
  pairFailed: "Aucun code d’appairage n’a été créé",
  pairLeft: (left) => `Valable ${left}`,
  pairEnded: "Ce code a expiré. Créez-en un nouveau.",
  pairDone: "L’appareil est appairé.",
  pairCode: "Code d’appairage",
  pairQr: "Code QR avec l’adresse de ce service et le code d’appairage",
  device: "Appareil",
  noDevice: "Aucun appareil ne s’est encore manifesté.",
  facts: {
    pairing: "Appairage",
    clock: "Horloge de ces heures",
    seen: "Dernier signe de vie",
    capture: "Dernière image",
    applied: "Réglages",
    queue: "En attente sur l’appareil",
    free: "Libre sur l’appareil",
    error: "Erreur signalée",
    frozen: "Images identiques",
  },
  pairings: { none: "Non appairée", pending: "Un code est ouvert", paired: "Appairée" },
  applied: "L’appareil a les réglages actuels",
  pending: "L’appareil n’a pas encore les réglages actuels",
  queue: (count, size) => (count === 0 ? "Rien" : `${some(count, "image", "images")}, ${size}`),
  never: "Jamais",
  frozen: (count) => `Les ${count} dernières images sont identiques : la caméra est peut-être figée`,
  history: "Interruptions",
  historyNone: "Rien n’a été manqué.",
  historyFailed: "Les interruptions n’ont pas pu être lues",
  historyLoading: "Lecture des interruptions…",
  historyColumns: { from: "Début", length: "Durée", cause: "Cause" },
  revoke: "Retirer l’accès de l’appareil",
  revokeHelp:
    "L’appareil ne peut plus rien envoyer, et la caméra est mise en pause. Un nouveau code d’appairage permet à un appareil de revenir.",
  revokeFailed: "L’accès n’a pas été retiré",
  retire: "Mettre cette caméra hors service",
  retireHelp:
    "La caméra ne prend plus d’images, et personne ne peut annuler cela. Ses images restent jusqu’à leur expiration.",
  retireFailed: "La caméra n’a pas été mise hors service",
  end: "Déplacer ou arrêter",
  save: "Enregistrer les réglages",
  saved: "Les réglages sont enregistrés. L’appareil les lit à son prochain appel.",
  saveFailed: "Les réglages n’ont pas été enregistrés",
  create: "Créer la caméra",
  createFailed: "La caméra n’a pas été créée",
  location: "Site",
  settingsFailed: "Les réglages n’ont pas pu être lus",
  settingsLoading: "Lecture des réglages…",
  reduceTitle: "Garder les images moins de jours ?",
  reduceHelp: "Les images plus anciennes expirent aussitôt et ne reviennent pas.",
  reduce: "Les laisser expirer et enregistrer",
  fields: {
    name: "Nom",
    description: "Description",
    captureIntervalMinutes: "Minutes entre deux images",
    retentionDays: "Jours de conservation des images",
    captureWidth: "Largeur en pixels",
    captureHeight: "Hauteur en pixels",
    jpegQuality: "Qualité JPEG",
    timeZone: "Fuseau horaire",
  },
  sizeHelp: (megapixels) => `Largeur fois hauteur : au plus ${number(megapixels)} mégapixels.`,
  zoneHelp: "Les jours et les heures de la caméra sont ceux de ce lieu.",
  window: "Prendre des images à certaines heures seulement",
  windowStart: "De",
  windowEnd: "À",
  windowDays: "Ces jours-là",
  rejected: "Images refusées",
  rejectedHelp:
    "Leurs octets étaient endommagés ou n’étaient pas une image. Elles sont gardées 90 jours et ne figurent dans aucune archive.",
  rejectedNone: "Aucune image n’a été refusée.",
  held: "Images qui vous attendent",
  heldHelp: "Leur vérification s’est terminée sans décision. Vérifiez-les à nouveau, ou laissez faire l’appareil.",
  heldNone: "Aucune image n’attend.",
  reviewFailed: "Les images n’ont pas pu être lues",
  reviewLoading: "Lecture des images à contrôler…",
  download: "Télécharger",
  downloadFailed: "Le fichier n’a pas pu être téléchargé",
  retry: "Vérifier à nouveau",
  retryFailed: "La vérification n’a pas commencé",
  retried: "L’image est vérifiée à nouveau.",
  unfinished: "Envois inachevés",
  unfinishedHelp:
    "L’appareil a annoncé ces images et ne les a pas envoyées en entier. Si vous en annulez une, l’appareil peut l’annoncer à nouveau.",
  unfinishedNone: "Aucun envoi n’est inachevé.",
  unfinishedStates: { "pending-transfer": "Attend ses octets", "verification-pending": "En cours de vérification" },
  unfinishedCancel: "Annuler",
  unfinishedFailed: "L’envoi n’a pas été annulé",
  unfinishedDone: "L’envoi est annulé.",
  more: "Plus",
  noPlace: "Une caméra appartient à un site. Créez d’abord un site.",
  toPlaces: "Vers les sites",
};

export const MOVE: typeof first.MOVE = {
  open: "Déplacer vers un autre site",
  title: (name) => `Déplacer ${name}`,
  help: "Les images de ce site restent ici. L’accès de l’appareil prend fin : appairez-le à nouveau sur le nouveau site.",
  first:
    "Mettez d’abord la caméra en pause, et attendez que rien n’attende sur l’appareil. Sinon ses images en attente sont perdues.",
  to: "Nouveau site",
  cancelPending: "Annuler les envois inachevés",
  send: "Déplacer la caméra",
  failed: "La caméra n’a pas été déplacée",
  moved: (place) => `La caméra est maintenant à ${place}. Appairez à nouveau son appareil.`,
  nowhere: "Il n’y a pas d’autre site où vous pouvez modifier des caméras.",
  placesFailed: "Les sites n’ont pas pu être lus",
  reading: "Lecture des sites…",
};

export const FORECAST: typeof first.FORECAST = {
  need: (days, minutes, size) =>
    `${some(days, "jour", "jours")}, une image par ${some(minutes, "minute", "minutes")} ≈ ${size}`,
  share: (percent) => `${percent} de ce qui reste`,
  tooMuch: "Plus que ce qui reste : les nouvelles images seront refusées quand le stockage sera plein.",
  measured: "Estimé d’après les dernières images de la caméra.",
  guessed: "Estimé d’après la taille et la qualité que vous avez choisies.",
  limit: (days) => `Cette organisation garde les images au plus ${some(days, "jour", "jours")}.`,
};

export const SHARES: typeof first.SHARES = {
  title: "Liens de partage",
  help: "Toute personne qui a un lien voit ses caméras, sans compte.",
  create: "Nouveau lien",
  createFailed: "Le lien n’a pas été créé",
  edit: (name) => `Modifier ${name}`,
  editShort: "Modifier",
  save: "Enregistrer le lien",
  saveFailed: "Le lien n’a pas été enregistré",
  revoke: (name) => `Révoquer ${name}`,
  revokeShort: "Révoquer",
  revokeTitle: "Révoquer ce lien ?",
  revokeHelp: "Toute personne qui l’a ne voit plus rien, aussitôt. Personne ne peut annuler cela.",
  revokeFailed: "Le lien n’a pas été révoqué",
  revoked: (name) => `« ${name} » ne montre plus rien.`,
  none: "Pas encore de lien",
  failed: "Les liens n’ont pas pu être lus",
  loading: "Lecture des liens…",
  name: "Nom",
  nameHelp: "Les personnes qui ouvrent le lien le voient.",
  cameras: "Caméras",
  expires: "Se termine le",
  expiresHelp: "Vide : le lien fonctionne jusqu’à ce que vous le révoquiez.",
  from: "Montrer les images depuis",
  until: "Montrer les images jusqu’à",
  timeHelp: "Vide : toutes les images conservées.",
  clock: (zone) => `Heures de ${zone}`,
  passcode: "Code d’accès",
  passcodeHelp: "Au moins 6 caractères. Vide : le lien n’en a pas.",
  passcodeKept: "Vide : le code d’accès actuel reste.",
  passcodeRemove: "Retirer le code d’accès",
  hideMetadata: "Retirer des images les données EXIF, la position et le propriétaire",
  showGapCauses: "Montrer pourquoi des images manquent",
  made: "Le lien est prêt",
  madeHelp: "Copiez-le maintenant : il n’est montré qu’une fois.",
  all: "Tous les liens de ce site",
  camerasFailed: "Les caméras du site n’ont pas pu être lues",
  readingCameras: "Lecture des caméras du site…",
  link: "Lien",
  qr: "Code QR du lien",
  copy: "Copier le lien",
  done: "Terminé",
  ended: (when) => `Terminé : ${when}`,
  ends: (when) => `Se termine : ${when}`,
  used: (when) => `Dernière utilisation : ${when}`,
  unused: "Jamais utilisé",
  locked: "Code d’accès",
  shownFrom: (when) => `Images depuis ${when}`,
  shownUntil: (when) => `Images jusqu’à ${when}`,
  count: (cameras) => some(cameras, "caméra", "caméras"),
  chooseOne: "Choisissez au moins une caméra.",
  whyNot:
    "Les liens sont créés par les personnes qui ont « Créer des liens de partage ». Les propriétaires et les admins le donnent aux membres.",
  off: "Les liens de partage sont désactivés pour cette organisation. Un administrateur de ce service les active.",
};

export const CHECKS: typeof first.CHECKS = {
  title: "Ce qu’il faut vérifier",
  lead: "La cause la plus probable est en premier.",
  heartbeat: "Dernier signe de vie",
  error: "Dernière erreur",
  network: "Autres caméras ici",
  noError: "Aucune",
  others: {
    none: "Il n’y en a pas",
    all: (count) => (count === 1 ? "Elle est muette aussi" : `Les ${number(count)} sont muettes aussi`),
    some: (silent, count) => `${number(count - silent)} sur ${number(count)} envoient des images`,
  },
  items: {
    placePower: {
      what: "Courant sur place",
      how: "Toutes les caméras d’ici sont muettes. Demandez à quelqu’un sur place s’il y a du courant.",
    },
    placeNetwork: { what: "Internet du site", how: "Vérifiez le routeur, ou sa carte SIM et son volume de données." },
    power: { what: "Courant de l’appareil", how: "Regardez si son voyant est allumé. Débranchez-le un instant." },
    cable: {
      what: "Réseau de l’appareil",
      how: "Vérifiez son câble, son Wi-Fi ou sa carte SIM. D’autres caméras d’ici envoient des images : l’internet du site marche.",
    },
    network: {
      what: "Réseau de l’appareil",
      how: "Vérifiez son câble, son Wi-Fi ou sa carte SIM, et le routeur du site.",
    },
    firewall: {
      what: "Chemin vers ce service",
      how: "L’appareil doit atteindre l’adresse de cette console sur le port 443. Un pare-feu peut l’empêcher.",
    },
    pair: {
      what: "Appairage",
      how: "Aucun appareil n’est appairé. Créez un code d’appairage et saisissez-le sur l’appareil.",
    },
    pairAgain: {
      what: "Accès de l’appareil",
      how: "Il peut avoir perdu son accès. Créez un nouveau code d’appairage et appairez-le à nouveau.",
    },
    uploads: {
      what: "Chemin des images",
      how: "Des images attendent sur l’appareil, et il atteint le service. Un réseau lent ou un pare-feu peut arrêter ses envois.",
    },
    camera: {
      what: "La caméra derrière l’appareil",
      how: "L’appareil marche, et sa caméra ne donne pas de nouvelle image. Redémarrez la caméra, et regardez son objectif et son capot.",
    },
    cameraLink: {
      what: "Liaison de la caméra",
      how: "L’appareil n’atteint pas sa caméra. Vérifiez le courant, le câble et l’adresse de la caméra.",
    },
    password: {
      what: "Mot de passe de la caméra",
      how: "Saisissez à nouveau le nom et le mot de passe de la caméra sur l’appareil.",
    },
    frozen: { what: "Une caméra qui répète une image", how: "Redémarrez la caméra." },
    disk: {
      what: "Disque de l’appareil",
      how: "Il est plein ou endommagé. Faites de la place, ou remplacez la carte.",
    },
    clock: { what: "Horloge de l’appareil", how: "Laissez l’appareil régler son heure par le réseau." },
    folder: { what: "Dossier des images", how: "L’appareil ne peut pas le lire. Vérifiez son chemin et ses droits." },
    format: { what: "Format des images", how: "Réglez la caméra sur des fichiers JPEG, et pas trop grands." },
    identity: { what: "Deux appareils avec une identité", how: "Appairez chaque appareil avec sa propre caméra." },
    storage: {
      what: "Stockage de l’organisation",
      how: "Il est plein. Supprimez quelque chose, gardez les images moins longtemps, ou demandez plus de stockage.",
    },
    refused: { what: "Images refusées par le service", how: "La liste sous « Contrôle » dit pourquoi." },
    restart: { what: "Le programme de l’appareil", how: "Redémarrez-le, et installez sa version la plus récente." },
  },
};
