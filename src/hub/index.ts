export { openLiveDelivery } from "./live";
export { liveConnections } from "./live-events";
