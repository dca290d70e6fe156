export { authorize } from "./authorize";
export type { Asking, JoinResult } from "./channel";
export type { CheckedFrame } from "./deliveries";
export type { Registration } from "./registrations";
