export { webhookMessages } from "./messages";
export { expireDeliveries, sendWebhooks, wakeWebhooks } from "./sending";
export { webhookSubscriber } from "./subscriber";
