import type * as first from "../en/entry.ts";

export const SIGN_IN: typeof first.SIGN_IN = {
  title: "Connexion",
  lead: "à votre espace documentaire",
  email: "Adresse e-mail",
  password: "Mot de passe",
  passwordHelp: "Au moins 10 caractères.",
  send: "Se connecter",
  keep: "Rester connecté",
  keepHelp: "Seulement sur vos propres appareils. Sinon, vous vous reconnectez quand le navigateur a été fermé.",
  forgot: "Mot de passe oublié ?",
  register: "Créer un compte",
  invitationHelp:
    "Vous êtes invité ? Ouvrez le lien de votre invitation : vous rejoignez l’organisation là-bas, puis vous vous connectez ici.",
  ended: "Votre session est terminée. Connectez-vous à nouveau pour continuer.",
  failed: "Vous n’êtes pas connecté",
  aside: "Image",
  picture: "Un quai au crépuscule, les lampes du chantier allumées",
};

export const INVITATION: typeof first.INVITATION = {
  title: "Invitation",
  join: (organization) => `Rejoindre ${organization}`,
  invited: (role, email) => `Vous êtes invité avec le rôle « ${role.toLowerCase()} », à l’adresse ${email}.`,
  opening: "Ouverture de l’invitation…",
  isNew: "Je suis nouveau ici",
  isKnown: "J’ai un compte",
  account: "Votre compte",
  name: "Votre nom",
  password: "Votre mot de passe",
  newPassword: "Mot de passe",
  register: "S’inscrire et rejoindre",
  signIn: "Se connecter et rejoindre",
  accept: "Rejoindre",
  signedIn: (name) => `Vous êtes connecté en tant que ${name}.`,
  otherAccount: (email) =>
    `Vous êtes connecté avec l’adresse ${email}. Quand vous rejoignez l’organisation, cette session se termine ici.`,
  failed: "Vous n’avez pas rejoint l’organisation",
  joined: (organization) => `Vous êtes membre de ${organization}.`,
  open: (organization) => `Ouvrir ${organization}`,
  share: {
    title: {
      cluster: (organization) => `${organization} partage un groupe avec vous`,
      location: (organization) => `${organization} partage un site avec vous`,
      document: (organization) => `${organization} partage un document avec vous`,
    },
    lead: (name, email) => `«\u00a0${name}\u00a0», pour l’adresse ${email}.`,
    register: "S’inscrire et ouvrir",
    signIn: "Se connecter et ouvrir",
    accept: "Accepter",
    otherAccount: (email) =>
      `Vous êtes connecté avec l’adresse ${email}. Quand vous acceptez, cette session se termine ici.`,
    failed: "Vous n’avez pas encore d’accès",
    joined: (name) => `«\u00a0${name}\u00a0» est partagé avec vous.`,
    open: "Ouvrir",
  },
  ended: "Cette invitation est terminée.",
  endedHelp:
    "Elle a été utilisée ou retirée, ou elle a expiré. Demandez-en une nouvelle à la personne qui vous a invité.",
  incomplete: "Ce lien n’est pas complet.",
  incompleteHelp:
    "Ouvrez le lien entier, exactement comme vous l’avez reçu. S’il ne fonctionne toujours pas, demandez-en un nouveau à la personne qui vous a invité.",
  unreadable: "L’invitation n’a pas pu être ouverte.",
};

export const RESET: typeof first.RESET = {
  title: "Mot de passe oublié ?",
  lead: "Saisissez l’adresse e-mail de votre compte. Vous recevez un lien pour choisir un nouveau mot de passe.",
  email: "Adresse e-mail",
  send: "Envoyer le lien",
  sendFailed: "Le lien n’a pas été envoyé",
  sent: "Regardez votre boîte de réception.",
  sentHelp: (email) =>
    `S’il existe un compte avec ${email}, vous recevez un lien. Il fonctionne une fois, pendant une heure. Si vous n’en recevez pas, demandez un lien à l’exploitant de ce service.`,
  set: "Choisir un nouveau mot de passe",
  setLead: "Au moins 10 caractères. Tous les appareils connectés à votre compte sont déconnectés.",
  password: "Nouveau mot de passe",
  again: "Répétez le mot de passe",
  differ: "Les deux mots de passe sont différents. Saisissez deux fois le même.",
  save: "Choisir le mot de passe",
  saveFailed: "Le mot de passe n’a pas été changé",
  done: "Votre mot de passe est choisi.",
  doneHelp: "Connectez-vous désormais avec lui.",
  signIn: "Se connecter",
  ended: "Ce lien a expiré.",
  endedHelp: "Il a été utilisé ou il est trop ancien.",
  newLink: "Demander un nouveau lien",
};

export const REGISTER: typeof first.REGISTER = {
  title: "Créer un compte",
  lead: "Vous recevez un espace personnel. Les organisations vous invitent par votre adresse e-mail.",
  name: "Votre nom",
  email: "Adresse e-mail",
  password: "Mot de passe",
  send: "Créer le compte",
  known: "J’ai un compte",
  failed: "Le compte n’a pas été créé",
};
