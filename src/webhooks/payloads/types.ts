import { z } from "@hono/zod-openapi";
import { idSchema } from "../../platform/ids";
import { utcSchema } from "../../platform/time";

/*
 * The types of webhooks and their data. A published field keeps its name and meaning. A change that a receiver could notice
 * gets another `version`. docs/reference/webhooks.md lists them, and a test compares the two.
 */

/** The version of every payload. */
const PAYLOAD_VERSION = 1;

const revision = z.int().nullable().describe("The revision that the event made; null where there is none");

/** The fields of `data` of every type except `ping`. */
const about = {
  id: idSchema.describe("The resource that the event is about"),
  name: z.string().nullable().describe("Its name now; null for a deleted resource"),
  url: z.string().nullable().describe("Its page in the console; null for a deleted resource"),
  locationId: idSchema.nullable().describe("Its location; null for a resource of the whole organization"),
  clusterId: idSchema.nullable().describe("The cluster of the location"),
};
const edited = { ...about, revision };

const cameras = z
  .array(z.object({ id: idSchema, name: z.string() }))
  .describe("Some of the cameras; `count` is the number of all");
const count = z.int().describe("The number of cameras");

/** The data of each type. */
export const PAYLOADS = {
  "document.uploaded": z.object({ ...about, version: z.int().describe("The version that was uploaded") }),
  "document.created": z.object(edited),
  "document.updated": z.object(edited),
  "document.deleted": z.object(edited),
  "annotation.created": z.object(edited),
  "annotation.updated": z.object(edited),
  "annotation.deleted": z.object(edited),
  "report.created": z.object(edited),
  "report.updated": z.object(edited),
  "report.deleted": z.object(edited),
  "report.printed": z.object({
    ...about,
    status: z.enum(["succeeded", "failed", "cancelled"]).describe("How the job of the PDF ended"),
    documentId: idSchema.nullable().describe("The document with the PDF; null unless it succeeded"),
  }),
  "location.created": z.object(edited),
  "location.updated": z.object(edited),
  "location.deleted": z.object(edited),
  "camera.created": z.object(edited),
  "camera.updated": z.object(edited),
  "camera.deleted": z.object(edited),
  "camera.silent": z.object({
    ...about,
    cause: z.enum(["offline", "camera-fault"]).describe("What is silent: the device, or its camera"),
    cameras,
    count,
  }),
  "camera.back": z.object({ ...about, cameras, count }),
  "capture.published": z.object({
    ...about,
    captureId: idSchema.describe("The image"),
    capturedAtUtc: utcSchema.describe("When the camera took the image"),
  }),
  "capture.rejected": z.object({
    ...about,
    operationId: idSchema.describe("The operation of the device"),
    reasonCode: z.string().nullable().describe("Why the image was rejected"),
  }),
  "export.ready": z.object({
    ...about,
    of: z.enum(["organization", "camera"]).describe("What was exported"),
    exportId: idSchema.describe("The operation of the export"),
  }),
  "member.added": z.object({ ...about, role: z.string().nullable().describe("The role of the member now") }),
  "member.changed": z.object({ ...about, role: z.string().nullable().describe("The role of the member now") }),
  "member.removed": z.object({ ...about, role: z.string().nullable().describe("Null, because the person left") }),
  ping: z.object({
    webhookId: idSchema.describe("The webhook that is tested"),
    name: z.string().describe("Its name"),
  }),
} as const satisfies Record<string, z.ZodObject>;

type PayloadType = keyof typeof PAYLOADS;

/** The types that a webhook can subscribe to. Every webhook gets `ping` when it is tested. */
export type WebhookType = Exclude<PayloadType, "ping">;
export const WEBHOOK_TYPES = Object.keys(PAYLOADS).filter((type) => type !== "ping") as [WebhookType, ...WebhookType[]];

/** The body of a request. */
export const payloadSchema = z.object({
  type: z.enum(Object.keys(PAYLOADS) as [PayloadType, ...PayloadType[]]),
  version: z.literal(PAYLOAD_VERSION),
  timestamp: utcSchema,
  organizationId: idSchema,
  data: z.record(z.string(), z.unknown()),
});
type Payload = z.infer<typeof payloadSchema>;

/** The text of a request. @param at time of the event, milliseconds since the epoch */
export const writePayload = (
  type: PayloadType,
  organizationId: string,
  at: number,
  data: Record<string, unknown>,
): string => {
  const payload: Payload = {
    type,
    version: PAYLOAD_VERSION,
    timestamp: new Date(at).toISOString(),
    organizationId,
    data: PAYLOADS[type].parse(data),
  };
  return JSON.stringify(payload);
};
