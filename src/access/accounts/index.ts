export { isCommonPassword } from "./common-passwords";
export { hashPassword, typedSecretSchema, verifyPassword } from "./password";
export { confirmAccount } from "./profile";
export { revokeUserCredentials, verifyAddress, verifyAfter } from "./proof";
export { clearFailedSignIns, limitPasskeyChallenges, limitPasskeySignIn } from "./rate-limits";
export { decideRegistration } from "./registrations";
export { mailPasswordReset } from "./resets";
export type { InvitationRedeemer } from "./sign-in";
