import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import type { Statement } from "../../platform/db/database";
import { cameras } from "../tables";
import { cameraCredentials, cameraEnrollments } from "./tables";

export const PAIRINGS = ["none", "pending", "paired"] as const;
/** Whether a device may act for a camera; `pending` while only a code waits for one. */
export type Pairing = (typeof PAIRINGS)[number];

const credentialOf = (cameraId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraCredentials} WHERE ${cameraCredentials.cameraId} = ${cameraId}
    AND ${isNull(cameraCredentials.revokedAt)})`;

const codeOf = (cameraId: SQL, now: number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraEnrollments} WHERE ${cameraEnrollments.cameraId} = ${cameraId}
    AND ${and(isNull(cameraEnrollments.endedAt), isNull(cameraEnrollments.redeemedAt), gt(cameraEnrollments.expiresAt, now))})`;

/** Holds while a device has a credential for the camera. */
export const isPaired = (cameraId: string): SQL => credentialOf(sql`${cameraId}`);

/** Holds while a device's own credential counts: another one may take the camera over during a call. */
export const isLiveCredential = (credentialId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraCredentials} WHERE ${cameraCredentials.id} = ${credentialId}
    AND ${isNull(cameraCredentials.revokedAt)})`;

/** The pairing of the camera that a statement selects from `cameras`. */
export const pairingColumn = (now: number): SQL.Aliased<Pairing> =>
  sql<Pairing>`CASE WHEN ${credentialOf(sql`${cameras.id}`)} THEN 'paired'
    WHEN ${codeOf(sql`${cameras.id}`, now)} THEN 'pending' ELSE 'none' END`.as("pairing");

/** Takes back the code that a camera has open. */
export const endEnrollment = ({ db, now }: Pick<Context, "db" | "now">, cameraId: string): Statement =>
  db
    .update(cameraEnrollments)
    .set({ endedAt: now })
    .where(and(eq(cameraEnrollments.cameraId, cameraId), isNull(cameraEnrollments.endedAt)));

/** Ends the credential that a camera's device holds. */
export const revokeCredential = ({ db, now }: Pick<Context, "db" | "now">, cameraId: string): Statement =>
  db
    .update(cameraCredentials)
    .set({ revokedAt: now })
    .where(and(eq(cameraCredentials.cameraId, cameraId), isNull(cameraCredentials.revokedAt)));

/** Ends all access of devices to a camera, codes included, with this change. */
export function endAccess(context: Pick<Context, "db" | "now">, change: Change, cameraId: string): void {
  change.add(endEnrollment(context, cameraId), revokeCredential(context, cameraId));
}
