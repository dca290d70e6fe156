import { UPKEEP } from "#texts/admin.ts";
import { number } from "#texts/language.ts";
import type { BackupStatus, PurgeStatus } from "../../../../client/src/index.ts";
import { ageOf, agoOf } from "./age.ts";

/** The files that wait for their deletion. */
export function FilesToDelete({ waiting, due, oldestDueSeconds, isExact }: PurgeStatus) {
  const text = UPKEEP;
  const count = (exact: number) => (isExact ? number(exact) : `${number(exact)}+`);
  return (
    <section class="card pad stack" aria-labelledby="files-title">
      <h2 id="files-title">{text.files}</h2>
      <p>
        {waiting === 0 ? text.noFiles : text.waiting(count(waiting), count(due))}
        {oldestDueSeconds !== null && ` ${text.oldest(agoOf(oldestDueSeconds * 1000))}`}
      </p>
    </section>
  );
}

/** The last nightly backup, and the one that is being taken. Null if the service takes none. */
export function Backups({ status }: { status: BackupStatus }) {
  const text = UPKEEP;
  const { last = null, current = null, isOverdue = false } = status ?? {};
  return (
    <section class="card pad stack" aria-labelledby="backups-title">
      <h2 id="backups-title">{text.backups}</h2>
      {isOverdue && <p class="error">{text.overdue}</p>}
      {status === null && <p>{text.noBackups}</p>}
      {status !== null && last === null && <p>{text.noBackup}</p>}
      {last !== null && last.completedAtUtc !== null && (
        <p>
          {text.completed(ageOf(last.completedAtUtc))}{" "}
          {text.has(last.workspaces, number(last.rows), number(last.objects))}
          {last.missing > 0 && <span class="error"> {text.missing(last.missing)}</span>}
        </p>
      )}
      {current !== null && (
        <p class="muted">
          {text.current(ageOf(current.startedAtUtc))}{" "}
          {text.has(current.workspaces, number(current.rows), number(current.objects))}
        </p>
      )}
    </section>
  );
}
