import type { Context as HonoContext } from "hono";
import type { AppEnv } from "../context";
import { DomainError } from "../errors";

/**
 * The strong validator of an editable resource. `progress` is what else changes of its answer between two revisions,
 * such as background work or the reader's own access: a reader's validator changes with it, a writer's precondition does not.
 */
export const etagOf = (revision: number, progress?: string): string =>
  progress === undefined ? `"${revision}"` : `"${revision}.${progress}"`;

/** Marks the answer with the resource's revision. */
export function setRevision(c: HonoContext<AppEnv>, revision: number, progress?: string): void {
  c.header("etag", etagOf(revision, progress));
}

/** What a write says about the revision it was made from. */
export interface Precondition {
  baseRevision?: number | undefined;
  ifMatch?: string | undefined;
}

/** Reads a write's precondition from its body and its `If-Match`. */
export const preconditionOf = (c: HonoContext<AppEnv>, body: { baseRevision?: number | undefined }): Precondition => ({
  baseRevision: body.baseRevision,
  ifMatch: c.req.header("if-match"),
});

/** The one revision that a write says it was made from; null when it names none, `*` or several. */
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
 * Refuses a write that was made from another revision.
 * @throws DomainError stale-revision (409) or precondition-failed (412), with the revision now.
 */
export function checkPrecondition(given: Precondition, current: number): void {
  if (given.baseRevision !== undefined && given.baseRevision !== current) throw staleRevision(current);
  if (given.ifMatch !== undefined && !matches(given.ifMatch, current))
    throw new DomainError(
      "precondition-failed",
      `It is at revision ${current} now. Read it again and repeat your change on that.`,
      {
        currentRevision: current,
      },
    );
}

/** The refusal for a write that lost the race after its precondition was checked. */
export const staleRevision = (current?: number): DomainError =>
  new DomainError(
    "stale-revision",
    "Somebody changed this in the meantime. Read it again and repeat your change on that.",
    {
      ...(current === undefined ? {} : { currentRevision: current }),
    },
  );
