export { authenticateShare } from "./authenticate";
export { expireShares } from "./expire";
