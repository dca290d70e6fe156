import type * as first from "../en/second-factor.ts";
import { some } from "./language.ts";

export const SECOND_STEP: typeof first.SECOND_STEP = {
  title: "Bestätigen Sie, dass Sie es sind",
  lead: "Ihr Passwort ist richtig. Ihr Konto verlangt auch einen Passkey.",
  passkey: "Passkey verwenden",
  passkeyHelp: "Ihr Gerät fragt nach dem Fingerabdruck, dem Gesicht oder der PIN.",
  useCode: "Einen Wiederherstellungscode verwenden",
  usePasskey: "Einen Passkey verwenden",
  codeLead: "Ihr Passwort ist richtig. Geben Sie einen der Wiederherstellungscodes Ihres Kontos ein.",
  code: "Wiederherstellungscode",
  codeHelp: "Jeder Code gilt einmal.",
  send: "Anmelden",
  failed: "Sie sind nicht angemeldet",
  back: "Zurück",
};

export const SECOND_FACTOR: typeof first.SECOND_FACTOR = {
  title: "Passkey nach dem Passwort",
  lead: "Eine Anmeldung mit Ihrem Passwort verlangt auch einen Passkey. Dann meldet sich niemand mit einem gestohlenen Passwort an.",
  off: "Aus",
  needs: "Fügen Sie zuerst einen Passkey hinzu.",
  on: "An",
  left: (codes) => `Noch ${some(codes, "Wiederherstellungscode", "Wiederherstellungscodes")}`,
  leftNone: "Es sind keine Wiederherstellungscodes übrig. Erstellen Sie neue.",
  switchOn: "Einschalten",
  switchOnTitle: "Nach dem Passwort einen Passkey verlangen?",
  switchOnHelp:
    "Ihre anderen Sitzungen enden. Sie erhalten Wiederherstellungscodes für den Tag, an dem Sie keinen Passkey dabei haben.",
  switchOnFailed: "Es wurde nicht eingeschaltet",
  switchedOn: "Ihre Anmeldung verlangt ab jetzt einen Passkey.",
  switchOff: "Ausschalten",
  switchOffTitle: "Nach dem Passwort nichts mehr verlangen?",
  switchOffHelp:
    "Dann genügt Ihr Passwort für die Anmeldung. Die Wiederherstellungscodes gelten nicht mehr. Ihre Passkeys bleiben.",
  switchOffFailed: "Es wurde nicht ausgeschaltet",
  switchedOff: "Ab jetzt genügt Ihr Passwort für die Anmeldung.",
  renew: "Neue Wiederherstellungscodes",
  renewTitle: "Neue Wiederherstellungscodes erstellen?",
  renewHelp: "Die Codes, die Sie haben, gelten dann nicht mehr.",
  renewFailed: "Es wurden keine Codes erstellt",
  codesTitle: "Ihre Wiederherstellungscodes",
  codesHelp:
    "Jeder gilt einmal an Stelle eines Passkeys. Diese Seite zeigt sie nur jetzt: Bewahren Sie sie sicher auf, nicht dort, wo Ihre Passkeys sind.",
  codes: "Wiederherstellungscodes",
  done: "Ich habe sie aufbewahrt",
  readFailed: "Der Zustand konnte nicht gelesen werden",
};

export const REQUIREMENT: typeof first.REQUIREMENT = {
  title: "Anmeldung der Mitglieder",
  lead: "Sie können einen Passkey verlangen, oder einen Passkey nach dem Passwort. Wer sich nur mit dem Passwort anmeldet, sieht dann nichts von dieser Organisation. Menschen ohne Mitgliedschaft werden nicht gefragt.",
  whom: "Verlangt von",
  choices: { none: "Niemandem", admins: "Eigentümern und Admins", members: "Allen Mitgliedern" },
  save: "Anforderung speichern",
  saved: "Die Anforderung ist gespeichert.",
  failed: "Die Anforderung wurde nicht gespeichert",
  line: (names) => `Verborgen, bis Sie sich mit einem Passkey anmelden: ${names}`,
  toPasskeys: "Was zu tun ist",
  cardTitle: (names) => `Ein Passkey wird verlangt: ${names}`,
  cardAdd:
    "Sie haben sich nur mit dem Passwort angemeldet. Fügen Sie hier einen Passkey hinzu. Melden Sie sich dann ab, und melden Sie sich mit ihm an.",
  cardSignIn:
    "Sie haben sich nur mit dem Passwort angemeldet. Melden Sie sich ab, und melden Sie sich mit Ihrem Passkey an.",
  signOut: "Abmelden",
};
