export { hashPassword, verifyPassword } from "./password";
export { markVerified, revokeUserCredentials } from "./proof";
export { mailPasswordReset } from "./resets";
export type { InvitationRedeemer } from "./sign-in";
