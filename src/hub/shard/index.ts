export { MAX_NEGOTIATION_AGE_MS } from "./negotiated";
export { plain, unauthorized, unknownConnection } from "./requests";
