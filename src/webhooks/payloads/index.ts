export { occurrenceOf } from "./occurrences";
export { readSubject, type Subject } from "./subjects";
export { PAYLOADS, payloadSchema, WEBHOOK_TYPES, type WebhookType, writePayload } from "./types";
