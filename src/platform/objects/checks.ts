import type { Context } from "../context";
import { DomainError } from "../errors";
import { type DownloadAccess, readAccess } from "./access";

/** How the composition checks the access of an address. */
export interface DownloadChecks {
  /** The context of the credential with its present access; null if it has ended. */
  asReader(context: Context, reader: DownloadAccess["reader"]): Promise<Context | null>;
  /** The access check of each kind. @throws DomainError if the resource is hidden or absent */
  check: Readonly<Record<DownloadAccess["kind"], (context: Context, ids: readonly string[]) => Promise<unknown>>>;
}

/** Whether the credential of an address may read its bytes now. An address without this field shows its bytes to everybody. */
export async function mayDownload(
  context: Context,
  { asReader, check }: DownloadChecks,
  field: string | null,
): Promise<boolean> {
  if (field === null) return true;
  const { reader, kind, ids } = readAccess(field);
  const own = await asReader(context, reader);
  if (own === null) return false;
  try {
    await check[kind](own, ids);
    return true;
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.code !== "unavailable") return false;
    throw thrown;
  }
}
