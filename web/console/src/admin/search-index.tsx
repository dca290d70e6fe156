import { useEffect, useState } from "preact/hooks";
import { ADMIN } from "#texts/admin.ts";
import { number } from "#texts/language.ts";
import { dataOf, type IndexStatus, type IndexTask } from "../../../../client/src/index.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { timeOf } from "../../../ui/format.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, Waiting } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";

/** During work, its state is read again after this time. */
const WAIT_MS = 3_000;

type Count = keyof typeof ADMIN.counts;
type What = keyof typeof ADMIN.again;

function Counts({
  title,
  counts,
  again,
}: {
  title: string;
  counts: Partial<Record<Count, number>>;
  again: () => void;
}) {
  const what = title === ADMIN.documents ? ADMIN.again.documents : ADMIN.again.assets;
  return (
    <section class="card pad stack">
      <h2>{title}</h2>
      <dl class="pairs nums">
        {(Object.keys(ADMIN.counts) as Count[]).map((name) => {
          const count = counts[name];
          return (
            count !== undefined && (
              <>
                <dt>{ADMIN.counts[name]}</dt>
                <dd>{number(count)}</dd>
              </>
            )
          );
        })}
      </dl>
      <p>
        <button type="button" class="btn" onClick={again}>
          {what}
        </button>
      </p>
    </section>
  );
}

function Task({ task }: { task: IndexTask }) {
  const { progress, error } = task;
  return (
    <li>
      <span class="grow">
        <b class="strong">{ADMIN.kinds[task.kind] ?? task.kind}</b>{" "}
        <span class={`chip ${task.status}`}>{ADMIN.statuses[task.status]}</span>
        <br />
        <span class="small muted nums">
          <time dateTime={task.createdAtUtc}>{timeOf(task.createdAtUtc)}</time>
          {progress.total > 0 && ` · ${ADMIN.progress(number(progress.done), number(progress.total))}`}
        </span>
        {error !== null && <span class="small error">{error.detail || error.code}</span>}
      </span>
    </li>
  );
}

function Index({ status, onAgain }: { status: IndexStatus; onAgain: (what: What) => void }) {
  const [newest] = status.tasks;
  return (
    <>
      <div class="counts">
        <Counts title={ADMIN.documents} counts={status.documents} again={() => onAgain("documents")} />
        <Counts title={ADMIN.entries} counts={status.assets} again={() => onAgain("assets")} />
      </div>
      <section class="card" aria-labelledby="tasks-title">
        <h2 id="tasks-title" class="list-head">
          {ADMIN.tasks}
        </h2>
        <p class="sr" role="status">
          {newest && ADMIN.told(ADMIN.kinds[newest.kind] ?? newest.kind, ADMIN.statuses[newest.status])}
        </p>
        {status.tasks.length === 0 ? (
          <p class="list-foot quiet">{ADMIN.noTasks}</p>
        ) : (
          <ul class="list">
            {status.tasks.map((task) => (
              <Task key={task.id} task={task} />
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

/** The state of the search index, and of the work that renews it. */
export function SearchIndex() {
  const text = ADMIN;
  const { data, error, slow, reload } = useLoaded("index", () => dataOf(api.GET("/v1/search/index/status")));
  const [asking, setAsking] = useState<What | null>(null);
  const works = data?.tasks.some(({ status }) => status === "queued" || status === "running") ?? false;
  useEffect(() => {
    if (!works) return;
    const timer = setTimeout(reload, WAIT_MS);
    return () => clearTimeout(timer);
    // Each answer starts a new wait.
  }, [works, data]);
  return (
    <>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data && <Index status={data} onAgain={setAsking} />}
      {asking && (
        <Confirm
          title={text.againTitle[asking]}
          help={text.againHelp}
          send={text.again[asking]}
          failed={text.againFailed}
          onSend={async () => {
            await dataOf(
              asking === "documents"
                ? api.POST("/v1/search/index/backfill")
                : api.POST("/v1/search/index/assets/backfill"),
            );
            say(text.begun);
            reload();
          }}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}
