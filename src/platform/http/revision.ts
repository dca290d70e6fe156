import type { Context as HonoContext } from "hono";
import type { AppEnv } from "../context";
import { DomainError } from "../errors";

/**
 * The strong ETag of an editable resource. `progress` names changes of the answer between two revisions, such as
 * background work or the reader's access. They change the ETag of a read, but not the precondition of a write.
 */
const etagOf = (revision: number, progress?: string): string =>
  progress === undefined ? `"${revision}"` : `"${revision}.${progress}"`;

/** Sets the ETag header of the answer. */
export function setRevision(c: HonoContext<AppEnv>, revision: number, progress?: string): void {
  c.header("etag", etagOf(revision, progress));
}

/** The revision on which a write is based, as its request names it. */
export interface Precondition {
  baseRevision?: number | undefined;
  ifMatch?: string | undefined;
}

/** Reads the precondition of a write from its body and its `If-Match`. */
export const preconditionOf = (c: HonoContext<AppEnv>, body: { baseRevision?: number | undefined }): Precondition => ({
  baseRevision: body.baseRevision,
  ifMatch: c.req.header("if-match"),
});

/** The single revision that a precondition names; null if it names none, `*` or several. */
export function baseOf({ baseRevision, ifMatch }: Precondition): number | null {
  if (baseRevision !== undefined) return baseRevision;
  const [, revision] = /^\s*"(\d{1,15})(?:\.[a-z0-9-]*)?"\s*$/.exec(ifMatch ?? "") ?? [];
  return revision === undefined ? null : Number(revision);
}

const matches = (header: string, revision: number): boolean =>
  header.split(",").some((candidate) => {
    const etag = candidate.trim();
    return etag === "*" || etag.replace(/^"(\d+)\.[a-z0-9-]*"$/, '"$1"') === etagOf(revision);
  });

/**
 * Refuses a write that is based on another revision.
 * @throws DomainError stale-revision (409) or precondition-failed (412), with the current revision
 */
export function checkPrecondition(given: Precondition, current: number): void {
  if (given.baseRevision !== undefined && given.baseRevision !== current) throw staleRevision(current);
  if (given.ifMatch !== undefined && !matches(given.ifMatch, current))
    throw new DomainError(
      "precondition-failed",
      `The resource is at revision ${current} now. Read it again and repeat your change on that revision.`,
      {
        currentRevision: current,
      },
    );
}

/** The refusal of a write when another write was committed after its precondition was checked. */
export const staleRevision = (current?: number): DomainError =>
  new DomainError(
    "stale-revision",
    "The resource was changed in the meantime. Read it again and repeat your change on the new revision.",
    {
      ...(current === undefined ? {} : { currentRevision: current }),
    },
  );
