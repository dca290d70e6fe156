export { authenticate, credentialOf, type Presented, recordUse, writeToken } from "./authenticate";
