import type { CredentialRef, UserCaller } from "../platform/caller";
import type { Context } from "../platform/context";
import { credentialRefOf, loadCredential } from "./permission";
import { requireUser } from "./require";

/**
 * The caller's credential for an address that is used later. A session or a token is looked up then, so the end of the
 * presented access token does not count. @throws DomainError 401
 */
export function readerOf(context: Pick<Context, "caller">): CredentialRef {
  const ref = credentialRefOf(requireUser(context));
  return ref.kind === "external" ? ref : { ...ref, expiresAt: null };
}

/** The context of a credential that was presented earlier, with its present access; null if the credential has ended. */
export async function asReader(context: Context, reader: CredentialRef): Promise<Context | null> {
  const live = await loadCredential(context, reader, context.now);
  return live && { ...context, caller: callerOf(reader, live) };
}

function callerOf({ kind, id, userId }: CredentialRef, live: Pick<UserCaller, "facts" | "expiresAt">): UserCaller {
  // Bytes are read with the rights of a member, so the rights of an administrator of the service do not count.
  const of = { userId, isAdmin: false, ...live };
  if (kind === "session") return { ...of, kind, sessionId: id };
  return kind === "pat" ? { ...of, kind, tokenId: id } : { ...of, kind: "external", issuer: "" };
}
