import { DATABASES } from "#texts/admin.ts";
import { sizeOf } from "#texts/language.ts";
import { dataOf } from "../../../../client/src/index.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";
import { Meter } from "../settings/index.ts";
import { ageOf } from "./age.ts";
import { Backups, FilesToDelete } from "./upkeep.tsx";

/** The size of each database, the files to delete and the backups, for the operators. */
export function Databases() {
  const text = DATABASES;
  const { data, error, slow, reload } = useLoaded("databases", () => dataOf(api.GET("/v1/admin/status")));
  return (
    <>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data && (
        <section class="card" aria-labelledby="databases-title">
          <h2 id="databases-title" class="list-head">
            {text.title}
          </h2>
          <p class="list-foot small muted">{text.help}</p>
          <ul class="list">
            {data.databases.map(
              ({ name, sizeBytes, maxBytes, isOpen, growthBytesPerDay, daysUntilFull, lastSweepAtUtc }) => (
                <li key={name}>
                  <span class="grow database">
                    <code class="strong">{name}</code> <span class="chip">{isOpen ? text.open : text.closed}</span>
                    <br />
                    <span class="small muted nums">{text.used(sizeOf(sizeBytes), sizeOf(maxBytes))}</span>
                    {growthBytesPerDay !== null && growthBytesPerDay > 0 && (
                      <span class="small muted"> · {text.growth(sizeOf(growthBytesPerDay))}</span>
                    )}
                    {daysUntilFull !== null && <span class="small muted"> {text.full(daysUntilFull)}</span>}
                    <span class="small muted said">
                      {lastSweepAtUtc === null ? text.notSwept : text.swept(ageOf(lastSweepAtUtc))}
                    </span>
                    <Meter label={text.sizeOf(name)} used={sizeBytes} all={maxBytes} />
                  </span>
                </li>
              ),
            )}
          </ul>
        </section>
      )}
      {data && <FilesToDelete {...data.objectsToPurge} />}
      {data && <Backups status={data.backups} />}
    </>
  );
}
