export { authenticate, credentialOf, type Presented, recordUse, writeToken } from "./authenticate";
export { noteClaims } from "./external";
