export { WebhooksPart } from "./page.tsx";
