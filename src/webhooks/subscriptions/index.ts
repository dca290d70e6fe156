export { disableWebhook, endPause, noteInterest, queueSending } from "./states";
export { requireWebhook } from "./subscriptions";
