import { some } from "./language.ts";

/** The texts of the second step of a sign-in. */
export const SECOND_STEP = {
  title: "Confirm that it is you",
  lead: "Your password is right. Your account also asks for a passkey.",
  passkey: "Use a passkey",
  passkeyHelp: "Your device asks for your fingerprint, your face or your PIN.",
  useCode: "Use a recovery code",
  usePasskey: "Use a passkey",
  codeLead: "Your password is right. Enter one of the recovery codes of your account.",
  code: "Recovery code",
  codeHelp: "Each code works once.",
  send: "Sign in",
  failed: "You are not signed in",
  back: "Back",
};

/** The texts of a person's own second factor. */
export const SECOND_FACTOR = {
  title: "Passkey after the password",
  lead: "A sign-in with your password asks for a passkey, too. Nobody signs in with a stolen password then.",
  off: "Off",
  needs: "Add a passkey first.",
  on: "On",
  left: (codes: number) => `${some(codes, "recovery code", "recovery codes")} left`,
  leftNone: "No recovery codes are left. Make new ones.",
  switchOn: "Switch on",
  switchOnTitle: "Ask for a passkey after the password?",
  switchOnHelp: "Your other sessions end. You get recovery codes for the day on which you have no passkey with you.",
  switchOnFailed: "It was not switched on",
  switchedOn: "Your sign-in asks for a passkey from now on.",
  switchOff: "Switch off",
  switchOffTitle: "Ask for nothing after the password?",
  switchOffHelp: "Your password alone signs in then. The recovery codes end. Your passkeys stay.",
  switchOffFailed: "It was not switched off",
  switchedOff: "Your password alone signs in from now on.",
  renew: "New recovery codes",
  renewTitle: "Make new recovery codes?",
  renewHelp: "The codes that you have work no more.",
  renewFailed: "No codes were made",
  codesTitle: "Your recovery codes",
  codesHelp:
    "Each works once in place of a passkey. This page shows them only now: keep them in a safe place, not in the place of your passkeys.",
  codes: "Recovery codes",
  done: "I have kept them",
  readFailed: "The state could not be read",
};

/** The texts about an organization that requires a passkey or a second factor of its members. */
export const REQUIREMENT = {
  title: "Sign-in of the members",
  lead: "You can require a passkey, or a passkey after the password. Members who sign in with the password alone then see nothing of this organization. People without a membership are not asked.",
  whom: "Required of",
  choices: { none: "Nobody", admins: "Owners and admins", members: "All members" },
  save: "Save the requirement",
  saved: "The requirement is saved.",
  failed: "The requirement was not saved",
  line: (names: string) => `Hidden until you sign in with a passkey: ${names}`,
  toPasskeys: "What to do",
  cardTitle: (names: string) => `A passkey is required: ${names}`,
  cardAdd: "You signed in with the password alone. Add a passkey here. Then sign out, and sign in with it.",
  cardSignIn: "You signed in with the password alone. Sign out, and sign in with your passkey.",
  signOut: "Sign out",
};
