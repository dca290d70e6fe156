import { z } from "zod";
import { type CredentialRef, credentialRefSchema } from "../caller";
import { openSealed, seal } from "../crypto/tokens";
import { forbidden } from "../errors";

/** The content of a download address: the credential that asked for it. Its access is checked on each use. */
interface Ticket {
  exportId: string;
  reader: CredentialRef;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const content = z.strictObject({
  exportId: z.string(),
  reader: credentialRefSchema,
  expiresAt: z.number(),
}) satisfies z.ZodType<Ticket>;

const base64url = { alphabet: "base64url", omitPadding: true } as const;

/** The purpose separates tickets from each other and from other values that are sealed with the same secret. */
type TicketPurpose = "camera-export" | "workspace-export";

/** Writes and reads the tickets of a kind of export with the secret of signed addresses. */
export const ticketsFor = (purpose: TicketPurpose) => ({
  /** The ticket as text for an address. */
  async write(secret: string, ticket: Ticket): Promise<string> {
    const sealed = await seal(JSON.stringify(ticket), `${purpose}\n${secret}`);
    return Uint8Array.fromBase64(sealed).toBase64(base64url);
  },
  /** Reads a ticket; null when the text is not a valid ticket. */
  async read(secret: string, text: string): Promise<Ticket | null> {
    try {
      const sealed = Uint8Array.fromBase64(text, { alphabet: "base64url" }).toBase64();
      return content.parse(JSON.parse(await openSealed(sealed, `${purpose}\n${secret}`)));
    } catch {
      return null;
    }
  },
});

/** Refuses a ticket whose address has expired. @throws DomainError 403 */
export function requireUnexpired({ expiresAt }: Ticket, now: number): void {
  if (expiresAt <= now)
    throw forbidden(
      "This address has expired. Read the export again for a new address, and resume the download with it.",
    );
}
