export { announce } from "./announce";
export { openLiveDelivery } from "./live";
