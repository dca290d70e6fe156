import type * as first from "../en/second-factor.ts";
import { number } from "./language.ts";

export const SECOND_STEP: typeof first.SECOND_STEP = {
  title: "Confirmez que c’est vous",
  lead: "Votre mot de passe est juste. Votre compte demande aussi une clé d’accès.",
  passkey: "Utiliser une clé d’accès",
  passkeyHelp: "Votre appareil demande l’empreinte, le visage ou le code PIN.",
  useCode: "Utiliser un code de secours",
  usePasskey: "Utiliser une clé d’accès",
  codeLead: "Votre mot de passe est juste. Saisissez l’un des codes de secours de votre compte.",
  code: "Code de secours",
  codeHelp: "Chaque code sert une fois.",
  send: "Se connecter",
  failed: "Vous n’êtes pas connecté",
  back: "Retour",
};

export const SECOND_FACTOR: typeof first.SECOND_FACTOR = {
  title: "Clé d’accès après le mot de passe",
  lead: "Une connexion avec votre mot de passe demande aussi une clé d’accès. Personne n’entre alors avec un mot de passe volé.",
  off: "Désactivé",
  needs: "Ajoutez d’abord une clé d’accès.",
  on: "Activé",
  left: (codes) => `Codes de secours restants : ${number(codes)}`,
  leftNone: "Il ne reste aucun code de secours. Créez-en de nouveaux.",
  switchOn: "Activer",
  switchOnTitle: "Demander une clé d’accès après le mot de passe ?",
  switchOnHelp:
    "Vos autres sessions prennent fin. Vous recevez des codes de secours pour le jour où vous n’aurez pas de clé avec vous.",
  switchOnFailed: "Rien n’a été activé",
  switchedOn: "Votre connexion demande désormais une clé d’accès.",
  switchOff: "Désactiver",
  switchOffTitle: "Ne rien demander après le mot de passe ?",
  switchOffHelp:
    "Votre mot de passe suffit alors pour se connecter. Les codes de secours ne valent plus. Vos clés d’accès restent.",
  switchOffFailed: "Rien n’a été désactivé",
  switchedOff: "Votre mot de passe suffit désormais pour se connecter.",
  renew: "Nouveaux codes de secours",
  renewTitle: "Créer de nouveaux codes de secours ?",
  renewHelp: "Les codes que vous avez ne valent plus.",
  renewFailed: "Aucun code n’a été créé",
  codesTitle: "Vos codes de secours",
  codesHelp:
    "Chacun sert une fois à la place d’une clé d’accès. Cette page ne les montre que maintenant : gardez-les en lieu sûr, ailleurs que vos clés.",
  codes: "Codes de secours",
  done: "Je les ai gardés",
  readFailed: "L’état n’a pas pu être lu",
};

export const REQUIREMENT: typeof first.REQUIREMENT = {
  title: "Connexion des membres",
  lead: "Vous pouvez exiger une clé d’accès, ou une clé d’accès après le mot de passe. Qui se connecte avec le seul mot de passe ne voit alors rien de cette organisation. Les personnes qui n’en sont pas membres ne sont pas concernées.",
  whom: "Exigée de",
  choices: { none: "Personne", admins: "Propriétaires et administrateurs", members: "Tous les membres" },
  save: "Enregistrer l’exigence",
  saved: "L’exigence est enregistrée.",
  failed: "L’exigence n’a pas été enregistrée",
  line: (names) => `Masqué jusqu’à votre connexion avec une clé d’accès\u00a0: ${names}`,
  toPasskeys: "Que faire",
  cardTitle: (names) => `Une clé d’accès est exigée\u00a0: ${names}`,
  cardAdd:
    "Vous vous êtes connecté avec le seul mot de passe. Ajoutez ici une clé d’accès. Déconnectez-vous ensuite, et connectez-vous avec elle.",
  cardSignIn:
    "Vous vous êtes connecté avec le seul mot de passe. Déconnectez-vous, et connectez-vous avec votre clé d’accès.",
  signOut: "Se déconnecter",
};
