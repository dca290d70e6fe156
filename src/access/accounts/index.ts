export { isCommonPassword } from "./common-passwords";
export { hashPassword, typedSecretSchema, verifyPassword } from "./password";
export { confirmAccount } from "./profile";
export {
  endPasskeyChallenges,
  endSecondFactor,
  giveSharesAfter,
  revokeUserCredentials,
  verifyAddress,
  verifyAfter,
} from "./proof";
export { clearFailedSignIns, limitPasskeyChallenges, limitPasskeySignIn, limitSignIn } from "./rate-limits";
export { decideRegistration } from "./registrations";
export { mailPasswordReset } from "./resets";
export type { InvitationRedeemer, SecondStepMaker } from "./sign-in";
