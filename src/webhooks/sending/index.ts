export { maySee, subjectOf } from "./attempt";
export { sendWebhooks } from "./send";
export { expireDeliveries, wakeWebhooks } from "./wake";
