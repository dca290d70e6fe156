import type * as first from "../en/entry.ts";

export const SIGN_IN: typeof first.SIGN_IN = {
  title: "Anmelden",
  lead: "an Ihrem Dokumenten-Arbeitsbereich",
  email: "E-Mail-Adresse",
  password: "Passwort",
  passwordHelp: "Mindestens 10 Zeichen.",
  send: "Anmelden",
  keep: "Angemeldet bleiben",
  keepHelp: "Nur auf eigenen Geräten. Sonst melden Sie sich wieder an, wenn der Browser geschlossen wurde.",
  forgot: "Passwort vergessen?",
  register: "Ein Konto anlegen",
  invitationHelp:
    "Wurden Sie eingeladen? Öffnen Sie den Link Ihrer Einladung: Dort treten Sie bei, und danach melden Sie sich hier an.",
  ended: "Ihre Sitzung ist beendet. Melden Sie sich wieder an, um weiterzumachen.",
  failed: "Sie sind nicht angemeldet",
  aside: "Bild",
  picture: "Ein Kai in der Dämmerung, die Lampen der Baustelle leuchten",
};

export const INVITATION: typeof first.INVITATION = {
  title: "Einladung",
  join: (organization) => `${organization} beitreten`,
  invited: (role, email) => `Sie sind als ${role} eingeladen, mit der Adresse ${email}.`,
  opening: "Die Einladung wird geöffnet…",
  isNew: "Ich bin neu hier",
  isKnown: "Ich habe ein Konto",
  account: "Ihr Konto",
  name: "Ihr Name",
  password: "Ihr Passwort",
  newPassword: "Passwort",
  register: "Registrieren und beitreten",
  signIn: "Anmelden und beitreten",
  accept: "Beitreten",
  signedIn: (name) => `Sie sind als ${name} angemeldet.`,
  otherAccount: (email) =>
    `Sie sind mit der Adresse ${email} angemeldet. Wenn Sie beitreten, endet diese Sitzung hier.`,
  failed: "Sie sind nicht beigetreten",
  joined: (organization) => `Sie sind Mitglied von ${organization}.`,
  open: (organization) => `${organization} öffnen`,
  share: {
    title: {
      cluster: (organization) => `${organization} teilt eine Gruppe mit Ihnen`,
      location: (organization) => `${organization} teilt einen Standort mit Ihnen`,
      document: (organization) => `${organization} teilt ein Dokument mit Ihnen`,
    },
    lead: (name, email) => `„${name}“, für die Adresse ${email}.`,
    register: "Registrieren und öffnen",
    signIn: "Anmelden und öffnen",
    accept: "Annehmen",
    otherAccount: (email) =>
      `Sie sind mit der Adresse ${email} angemeldet. Wenn Sie annehmen, endet diese Sitzung hier.`,
    failed: "Sie haben noch keinen Zugang",
    joined: (name) => `„${name}“ ist mit Ihnen geteilt.`,
    open: "Öffnen",
  },
  ended: "Diese Einladung gilt nicht mehr.",
  endedHelp:
    "Sie wurde benutzt oder zurückgezogen, oder sie ist abgelaufen. Bitten Sie die Person, die Sie eingeladen hat, um eine neue.",
  incomplete: "Dieser Link ist nicht vollständig.",
  incompleteHelp:
    "Öffnen Sie den ganzen Link, genau wie Sie ihn bekommen haben. Wenn er dann nicht geht, bitten Sie die Person, die Sie eingeladen hat, um einen neuen.",
  unreadable: "Die Einladung konnte nicht geöffnet werden.",
};

export const RESET: typeof first.RESET = {
  title: "Passwort vergessen?",
  lead: "Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie bekommen einen Link, mit dem Sie ein neues Passwort setzen.",
  email: "E-Mail-Adresse",
  send: "Den Link senden",
  sendFailed: "Der Link wurde nicht gesendet",
  sent: "Sehen Sie in Ihr Postfach.",
  sentHelp: (email) =>
    `Wenn es ein Konto mit ${email} gibt, bekommen Sie einen Link. Er gilt einmal, innerhalb einer Stunde. Wenn keiner kommt, bitten Sie den Betreiber dieses Dienstes um einen Link.`,
  set: "Ein neues Passwort setzen",
  setLead: "Mindestens 10 Zeichen. Alle Geräte, die an Ihrem Konto angemeldet sind, werden abgemeldet.",
  password: "Neues Passwort",
  again: "Das Passwort wiederholen",
  differ: "Die beiden Passwörter sind verschieden. Geben Sie zweimal dasselbe ein.",
  save: "Das Passwort setzen",
  saveFailed: "Das Passwort wurde nicht gesetzt",
  done: "Ihr Passwort ist gesetzt.",
  doneHelp: "Melden Sie sich von jetzt an damit an.",
  signIn: "Anmelden",
  ended: "Dieser Link ist abgelaufen.",
  endedHelp: "Er wurde benutzt oder ist zu alt.",
  newLink: "Einen neuen Link anfordern",
};

export const REGISTER: typeof first.REGISTER = {
  title: "Ein Konto anlegen",
  lead: "Sie bekommen einen persönlichen Arbeitsbereich. Organisationen laden Sie mit Ihrer E-Mail-Adresse ein.",
  name: "Ihr Name",
  email: "E-Mail-Adresse",
  password: "Passwort",
  send: "Das Konto anlegen",
  known: "Ich habe ein Konto",
  failed: "Das Konto wurde nicht angelegt",
};
