import { z } from "@hono/zod-openapi";
import type { CredentialRef } from "../../access";
import { openSealed, seal } from "../../platform/crypto/seal";

const base64url = { alphabet: "base64url", omitPadding: true } as const;

const content = z.strictObject({
  exportId: z.string(),
  asker: z.strictObject({
    kind: z.enum(["session", "pat", "external", "user"]),
    id: z.string(),
    userId: z.string(),
    expiresAt: z.number().nullable(),
  }),
  expiresAt: z.number(),
});

/** What an export's address carries: who asked for it, to be asked again on each use. */
export interface Ticket {
  exportId: string;
  asker: CredentialRef;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Nothing else that is sealed with the same setting opens as a ticket. */
const keyOf = (secret: string): string => `camera-export\n${secret}`;

/** The ticket as text for an address. */
export async function writeTicket(secret: string, ticket: Ticket): Promise<string> {
  return Uint8Array.fromBase64(await seal(JSON.stringify(ticket), keyOf(secret))).toBase64(base64url);
}

/** Reads a ticket back; null for what is none of ours. */
export async function readTicket(secret: string, text: string): Promise<Ticket | null> {
  try {
    const sealed = Uint8Array.fromBase64(text, { alphabet: "base64url" }).toBase64();
    return content.parse(JSON.parse(await openSealed(sealed, keyOf(secret))));
  } catch {
    return null;
  }
}
