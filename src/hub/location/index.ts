export { authorize } from "./authorize";
export type { CheckedFrame, JoinResult, Registration } from "./channel";
