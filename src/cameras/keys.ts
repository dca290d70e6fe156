import { type SQL, sql } from "drizzle-orm";
import { cameraCaptures } from "./tables";

export const CAPTURE_FORMS = ["original", "thumbnail", "preview"] as const;
export type CaptureForm = (typeof CAPTURE_FORMS)[number];

/** What the objects of an operation are named by. */
export type OperationKey = Pick<typeof cameraCaptures.$inferSelect, "organizationId" | "cameraId" | "operationId">;

const folder = ({ organizationId, cameraId, operationId }: OperationKey): string =>
  `captures/${organizationId}/${cameraId}/${operationId}`;

/**
 * Where a form of a published image lies. The key is the upload operation's own, so that what an
 * abandoned attempt left behind can be removed without touching what another one published.
 */
export const captureKey = (of: OperationKey, form: CaptureForm): string => `${folder(of)}/${form}.jpg`;

/** Where what came is kept when it was refused: it may be anything. */
export const rejectedKey = (of: OperationKey): string => `${folder(of)}/rejected`;

/** Subquery of every form's key of the images that `where` selects. */
export const captureKeysOf = (where: SQL): SQL =>
  sql`SELECT 'captures/' || ${cameraCaptures.organizationId} || '/' || ${cameraCaptures.cameraId} || '/' ||
    ${cameraCaptures.operationId} || '/' || form.value || '.jpg'
    FROM ${cameraCaptures} CROSS JOIN json_each(${JSON.stringify(CAPTURE_FORMS)}) AS form WHERE ${where}`;
