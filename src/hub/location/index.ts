export { authorize } from "./authorize";
export type { JoinResult, Registration } from "./channel";
