export { authorize } from "./authorize";
export type { Asking, CheckedFrame, JoinResult, Registration } from "./channel";
