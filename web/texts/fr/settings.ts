import type * as first from "../en/settings.ts";
import { number, some } from "./language.ts";

export const SETTINGS: typeof first.SETTINGS = {
  title: "Réglages",
  parts: "Parties des réglages",
  you: "Vous",
  labels: {
    profile: "Profil",
    sessions: "Sessions",
    notifications: "Notifications",
    tokens: "Jetons d’accès",
    organization: "Organisation",
    members: "Membres",
    usage: "Stockage et usage",
    branding: "Identité visuelle",
    searches: "Recherches",
    audit: "Journal des modifications",
    cleanups: "Caméras supprimées",
  },
  loading: "Lecture des réglages…",
};

export const NEW_ORGANIZATION: typeof first.NEW_ORGANIZATION = {
  option: "Nouvelle organisation…",
  title: "Nouvelle organisation",
  name: "Nom",
  help: "Vous en devenez propriétaire, et vous pouvez inviter d’autres personnes.",
  send: "Créer l’organisation",
  failed: "L’organisation n’a pas été créée",
  done: (name) => `${name} est prête. Vous en êtes propriétaire.`,
};

export const PROFILE: typeof first.PROFILE = {
  title: "Profil",
  lead: "Votre compte dans ce service.",
  name: "Votre nom",
  nameHelp: "Les autres voient ce nom.",
  email: "Adresse e-mail",
  verified: "Vérifiée",
  unverified: "Non vérifiée. Un lien que vous recevez par e-mail la vérifie.",
  admin: "Vous êtes administrateur du service.",
  save: "Enregistrer le nom",
  saved: "Votre nom est enregistré.",
  saveFailed: "Votre nom n’a pas été enregistré",
  password: "Mot de passe",
  passwordLead: "Un nouveau mot de passe termine toutes vos autres sessions.",
  current: "Mot de passe actuel",
  next: "Nouveau mot de passe",
  nextHelp: "Au moins 10 caractères.",
  change: "Changer le mot de passe",
  changed: "Votre mot de passe est changé. Vos autres sessions sont terminées.",
  changeFailed: "Le mot de passe n’a pas été changé",
};

export const SESSIONS: typeof first.SESSIONS = {
  title: "Sessions",
  lead: "Les navigateurs et programmes connectés à votre compte.",
  current: "Cette session",
  device: (browser, system) => `${browser} sur ${system}`,
  browser: "Navigateur",
  unknownSystem: "un système inconnu",
  used: "Dernière utilisation",
  since: "Connectée",
  methods: { password: "Avec le mot de passe", passkey: "Avec une clé d’accès" },
  confirmed: {
    passkey: "Avec le mot de passe et une clé d’accès",
    "recovery-code": "Avec le mot de passe et un code de secours",
  },
  kept: "Reste connectée",
  address: "Adresse",
  end: "Terminer",
  endOf: (device) => `Terminer la session de ${device}`,
  ended: (device) => `La session de ${device} est terminée.`,
  endFailed: "La session n’a pas été terminée",
  endOthers: "Terminer toutes les autres",
  endOthersTitle: "Terminer toutes les autres sessions ?",
  endOthersHelp: "Toute personne connectée avec votre compte doit se reconnecter, sauf ici.",
  othersEnded: "Toutes les autres sessions sont terminées.",
  failed: "Les sessions n’ont pas pu être lues",
  loading: "Lecture des sessions…",
};

export const TOKENS: typeof first.TOKENS = {
  title: "Jetons d’accès",
  lead: "Un programme utilise un jeton au lieu de votre mot de passe. Ne lui donnez que l’accès dont il a besoin.",
  create: "Nouveau jeton",
  none: "Aucun jeton d’accès",
  noneHelp: "Créez-en un pour un script ou un autre programme qui appelle l’API en votre nom.",
  name: "Nom",
  nameHelp: "Par exemple le programme qui l’utilise.",
  expiry: "Fin",
  expiries: { "30": "Dans 30 jours", "90": "Dans 90 jours", "365": "Dans un an", never: "Jamais" },
  scope: "Organisations",
  everywhere: "Toutes, et votre espace personnel",
  only: (name) => `Seulement ${name}`,
  access: "Accès",
  accesses: { all: "Tout ce que vous pouvez faire", read: "Lecture seule", some: "Droits choisis" },
  levels: "Niveau maximal de chaque droit",
  send: "Créer le jeton",
  failed: "Le jeton n’a pas été créé",
  readFailed: "Les jetons n’ont pas pu être lus",
  madeTitle: "Copiez le jeton maintenant",
  madeHelp: "Il n’est montré qu’une fois. Gardez-le comme un mot de passe.",
  secret: "Le jeton",
  done: "Je l’ai copié",
  neverUsed: "Jamais utilisé",
  used: "Dernière utilisation",
  ends: "Fin",
  noEnd: "Sans fin",
  limits: { all: "Tout", read: "Lecture seule", some: "Certains droits" },
  revoke: "Révoquer",
  revokeOf: (name) => `Révoquer ${name}`,
  revokeTitle: (name) => `Révoquer « ${name} » ?`,
  revokeHelp: "Les programmes qui l’utilisent sont refusés aussitôt. C’est définitif.",
  revokeFailed: "Le jeton n’a pas été révoqué",
  revoked: (name) => `« ${name} » est révoqué.`,
  loading: "Lecture des jetons…",
  rename: "Renommer",
  renameOf: (name) => `Renommer ${name}`,
  renameTitle: (name) => `Renommer « ${name} »`,
  renameSend: "Enregistrer",
  renameFailed: "Le jeton n’a pas été renommé",
  renamed: (name) => `Le jeton s’appelle maintenant « ${name} ».`,
};

export const ORGANIZATION: typeof first.ORGANIZATION = {
  title: "Organisation",
  lead: (role) => `Votre rôle : ${role}.`,
  name: "Nom",
  nameHelp: "Les membres, les invités et les rapports le montrent.",
  save: "Renommer",
  saved: "L’organisation est renommée.",
  saveFailed: "L’organisation n’a pas été renommée",
  scans: "Texte des scans et des photos",
  scansOn:
    "Le texte des scans et des photos est reconnu, et la recherche le trouve. Chaque page compte comme une tâche du mois.",
  scansOff: "Les scans et les photos ne se trouvent que par leur nom.",
  scansSwitchOff: "Désactiver la reconnaissance",
  scansSwitchOn: "Activer la reconnaissance",
  scansSaved: (isOn) =>
    isOn
      ? "La reconnaissance est active. Les scans en attente sont lus maintenant."
      : "La reconnaissance est désactivée. Le texte déjà reconnu reste.",
  scansFailed: "La reconnaissance n’a pas été modifiée",
  leave: "Quitter l’organisation",
  leaveLead: "Vous perdez l’accès à tout ce qui n’est pas partagé avec vous ailleurs.",
  leaveTitle: (name) => `Quitter ${name} ?`,
  leaveHelp: "Seul un propriétaire ou un admin peut vous ajouter à nouveau.",
  leaveFailed: "Vous êtes toujours membre",
  left: (name) => `Vous avez quitté ${name}.`,
  remove: "Supprimer l’organisation",
  removeLead:
    "Les membres, les invités, les caméras et les liens de partage perdent aussitôt l’accès. Vous pouvez la restaurer jusqu’à la fin du délai de récupération. Ensuite, tout son contenu est retiré.",
  removeTitle: (name) => `Supprimer ${name} ?`,
  removeHelp:
    "Tout son contenu est caché à tous, et ses caméras et liens de partage s’arrêtent. Chaque propriétaire peut la restaurer sous « Organisations supprimées » jusqu’à la fin de son délai.",
  removeFailed: "L’organisation n’a pas été supprimée",
  removed: (name) => `${name} est supprimée.`,
};

export const ROLES: typeof first.ROLES = { owner: "Propriétaire", admin: "Admin", member: "Membre", guest: "Invité" };

export const CAPABILITIES: typeof first.CAPABILITIES = {
  OrganizationView: "Organisation",
  ClusterView: "Groupes",
  LocationView: "Site",
  Documents: "Documents",
  LocationBundles: "Annotations",
  LocationCameras: "Caméras",
  Reports: "Rapports",
  ExternalShareLinksCreate: "Créer des liens de partage",
  ExternalShareLinksManage: "Gérer les liens de partage",
};
export const LEVELS: typeof first.LEVELS = { None: "Rien", Read: "Lire", Write: "Écrire" };

export const BRANDING: typeof first.BRANDING = {
  title: "Identité visuelle",
  lead: "Pour les rapports, les liens de partage et cette console.",
  loading: "Lecture de l’identité visuelle…",
  readFailed: "L’identité visuelle n’a pas pu être lue",
  brandName: "Nom de la marque",
  slogan: "Slogan",
  colours: {
    primaryColor: "Couleur principale",
    secondaryColor: "Couleur secondaire",
    accentColor: "Couleur d’accent",
  },
  picker: (label) => `${label}, sélecteur`,
  colourHelp: "#rrggbb, ou vide pour aucune.",
  fit: (ratio) => `${ratio} : 1 sur blanc, convient au texte`,
  unfit: (ratio) => `${ratio} : 1 sur blanc, pour les surfaces et les lignes seulement`,
  wrong: "Écrivez une couleur sous la forme #rrggbb.",
  console: {
    both: "La console utilise la couleur principale comme accent.",
    light:
      "La console utilise la couleur principale dans le thème clair ; dans le sombre, son contraste est trop faible.",
    dark: "La console utilise la couleur principale dans le thème sombre ; dans le clair, son contraste est trop faible.",
    none: "La console garde son propre accent : la couleur principale a moins de 4,5 : 1 dans les deux thèmes.",
  },
  slots: { logo: "Logo", banner: "Bannière" },
  onShareLinks: "Montrer la marque sur les liens de partage",
  onShareLinksHelp: "Toute personne qui a un lien voit le logo et le nom au-dessus des caméras.",
  choose: (slot) => `${slot} : choisir`,
  replace: (slot) => `${slot} : remplacer`,
  remove: (slot) => `${slot} : retirer`,
  noFile: "PNG, JPEG, WebP ou SVG, 5 MiB au plus.",
  uploading: "Envoi…",
  uploaded: (slot) => `${slot} : remplacement fait.`,
  removedFile: (slot) => `${slot} : retrait fait.`,
  uploadFailed: "L’image n’a pas été remplacée",
  removeFailed: "L’image n’a pas été retirée",
  save: "Enregistrer",
  discard: "Abandonner",
  unsaved: "Modifications non enregistrées",
  saved: "L’identité visuelle est enregistrée.",
  failed: "L’identité visuelle n’a pas été enregistrée",
  sample: "Exemple",
  sampleHelp: "La première page d’un rapport avec ces valeurs.",
  report: { title: "Inspection de la jetée est", place: "Jetée est, 12 rue du Quai", date: "Date", by: "Préparé par" },
};

export const USAGE: typeof first.USAGE = {
  title: "Stockage et usage",
  lead: "Ce que l’organisation peut utiliser, et ce qu’elle utilise maintenant.",
  loading: "Lecture de l’usage…",
  failed: "L’usage n’a pas pu être lu",
  storage: "Stockage",
  used: (used, all) => `${used} sur ${all} utilisés`,
  reserved: (size) => `${size} sont réservés par des envois inachevés.`,
  useFailed: "Ce qui est stocké n’a pas pu être lu",
  kinds: "Ce qui est stocké",
  kindNames: {
    documentBytes: "Documents",
    olderVersionBytes: "Anciennes versions de documents",
    imageBytes: "Images de caméra",
    brandingBytes: "Identité visuelle",
    trashBytes: "Corbeille (non comptée)",
  },
  exportsHelp: "Les exports sont produits pendant leur téléchargement. Ils n’occupent pas de stockage.",
  forecast: "Prévision",
  forecastNone: "Aucune caméra ne prend d’images maintenant.",
  forecastCameras: (cameras, perDay) =>
    `${some(cameras, "caméra ajoute", "caméras ajoutent")} environ ${perDay} par jour.`,
  forecastNeeds: (needed, share) =>
    `Quand elles auront fonctionné aussi longtemps que leurs images sont gardées, les images occuperont environ ${needed} : ${share} de la limite.`,
  forecastEnough: "Le stockage suffit à ce que les caméras conservent.",
  forecastFull: (days) =>
    days === 0
      ? "Le stockage est plein, ou le sera aujourd’hui."
      : `Il atteint la limite dans environ ${some(days, "jour", "jours")}.`,
  forecastHelp:
    "Calculé d’après les réglages des caméras et la taille de leurs dernières images. Les envois de documents s’y ajoutent.",
  jobs: "Tâches ce mois-ci",
  jobsUsed: (used, all) => `${used} sur ${all}`,
  jobsHelp:
    "Chaque rapport imprimé, chaque export et chaque page dont le texte est reconnu est une tâche. Le compte recommence le mois suivant, UTC.",
  allowed: "Ce que l’organisation peut utiliser",
  cameras: "Caméras",
  shares: "Liens de partage",
  retention: "Conservation maximale des images de caméra",
  days: (days) => some(days, "jour", "jours"),
  yes: "Oui",
  no: "Non",
  change: "Un administrateur du service modifie ces limites.",
};

export const SEARCHES: typeof first.SEARCHES = {
  title: "Recherches",
  lead: "Ce que cherchent les personnes de l’organisation, et où elles ne trouvent rien.",
  loading: "Lecture des recherches…",
  failed: "Les recherches n’ont pas pu être lues",
  period: "Période",
  days: (days) => some(days, "jour", "jours"),
  total: (searches, clicks) =>
    `${some(searches, "recherche", "recherches")}, dont ${number(clicks)} ont mené à un résultat.`,
  rank: (rank) => `Le résultat ouvert est en moyenne au rang ${rank} de la liste.`,
  lists: {
    zeroResults: {
      title: "Rien trouvé",
      help: "Des documents avec ces mots manquent, ou emploient d’autres mots.",
    },
    neverClicked: { title: "Jamais ouvert", help: "Il y avait des résultats, mais personne n’en a ouvert." },
    mostFrequent: { title: "Les plus fréquentes", help: "Ce que l’on cherche le plus." },
  },
  columns: { term: "Mots", searches: "Recherches", clicks: "Ouvertes" },
  none: "Aucune dans cette période.",
};
