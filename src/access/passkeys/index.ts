export { endChallenge, hashChallenge, newChallenge, type Purpose, takeChallenge } from "./challenges";
export { findPasskey, usePasskey, userHandleOf } from "./passkeys";
export { type AuthenticationResponse, authenticationResponseSchema, proofSchema } from "./schemas";
export { relyingParty, verifyAuthentication } from "./verify";
