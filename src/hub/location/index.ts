export { authorize } from "./authorize";
export { ARRIVAL_BATCH_DELAY_MS, type JoinResult, type Registration } from "./channel";
