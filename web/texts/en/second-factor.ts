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
