import { useState } from "preact/hooks";
import { ADMIN, JOBS } from "#texts/admin.ts";
import { number } from "#texts/language.ts";
import { type AdministeredJob, dataOf, type JobLane, type JobsStatus } from "../../../../client/src/index.ts";
import { adminPath } from "../../../../src/platform/paths.ts";
import { BusyButton } from "../../../ui/buttons.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, sayFailed } from "../../../ui/notice.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { usePages } from "../../../ui/pages.ts";
import { address } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { ageOf, agoOf } from "./age.ts";

type State = "failed" | "open";
const PAGE_SIZE = 50;

const pathOf = (state: State, kind: string | null): string => {
  const query = new URLSearchParams({ ...(state === "open" && { state }), ...(kind !== null && { kind }) });
  return `${adminPath("jobs")}${query.size > 0 ? `?${query}` : ""}`;
};

/** The jobs of each lane. Each lane has a separate queue. */
function Lanes({ lanes }: { lanes: readonly JobLane[] }) {
  const text = JOBS;
  return (
    <section class="card" aria-labelledby="lanes-title">
      <h2 id="lanes-title" class="list-head">
        {text.lanes}
      </h2>
      <ul class="list">
        {lanes.map(({ lane, oldestDueAtUtc, isExact, ...of }) => {
          const counts = text.counts(number(of.inLine + of.inQueue), number(of.running), number(of.failed));
          return (
            <li key={lane} class="lane">
              <span class="grow">
                <b class="strong">{text.laneNames[lane]}</b>
                <span class="small muted said">{text.laneHelp[lane]}</span>
              </span>
              <span class="small nums">
                {isExact ? counts : text.atLeast(counts)}
                {oldestDueAtUtc !== null && Date.parse(oldestDueAtUtc) < Date.now() && (
                  <span class="said muted">{text.oldest(ageOf(oldestDueAtUtc))}</span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The open and failed jobs of each kind, with the codes of the failures. A kind leads to its jobs. */
function Kinds({ kinds, isExact }: JobsStatus) {
  const text = JOBS;
  if (kinds.length === 0) return null;
  return (
    <section class="card" aria-labelledby="kinds-title">
      <h2 id="kinds-title" class="list-head">
        {text.byKind}
      </h2>
      <ul class="list">
        {kinds.map(({ kind, waiting, running, oldestWaitingSeconds, failures }) => {
          const failed = failures.reduce((total, { count }) => total + count, 0);
          const counts = text.counts(number(waiting), number(running), number(failed));
          return (
            <li key={kind} class="lane">
              <a class="grow" href={pathOf(failed > 0 ? "failed" : "open", kind)}>
                {ADMIN.kinds[kind] ?? kind}
              </a>
              <span class="small nums">
                {isExact ? counts : text.atLeast(counts)}
                {oldestWaitingSeconds !== null && (
                  <span class="said muted">{text.oldest(agoOf(oldestWaitingSeconds * 1000))}</span>
                )}
                {failures.length > 0 && (
                  <span class="said muted">
                    {failures.map(({ code, count }) => text.failures(code, number(count))).join(" · ")}
                  </span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Row({ job, onRerun }: { job: AdministeredJob; onRerun: () => Promise<void> }) {
  const text = JOBS;
  const name = ADMIN.kinds[job.kind] ?? job.kind;
  const at = job.finishedAtUtc ?? job.dueAtUtc;
  return (
    <li class="job">
      <span class="grow">
        <b class="strong">{name}</b> <span class={`chip ${job.status}`}>{ADMIN.statuses[job.status]}</span>
        <span class="small muted nums said">
          <time dateTime={at} title={timeOf(at)}>
            {job.status === "queued" && Date.parse(at) > Date.now() ? text.due(timeOf(at)) : ageOf(at)}
          </time>
          {` · ${job.organization?.name ?? text.noOrganization} · ${text.attempts(job.attempts)}`}
          {job.progress.total > 0 && ` · ${ADMIN.progress(number(job.progress.done), number(job.progress.total))}`}
        </span>
        {job.error !== null && (
          <span class="small error">
            {job.error.detail} <code>{job.error.code}</code>
          </span>
        )}
        {job.status === "failed" && !job.canRerun && <span class="small muted said">{text.byPerson}</span>}
      </span>
      {job.canRerun && (
        <BusyButton label={text.rerunOf(name)} onPress={() => onRerun()}>
          <Icon name="retry" />
          {text.rerun}
        </BusyButton>
      )}
    </li>
  );
}

/** The failed jobs, or the jobs that wait and run. The address contains the state and the kind. */
export function Jobs() {
  const text = JOBS;
  const { searchParams } = address.value;
  const state: State = searchParams.get("state") === "open" ? "open" : "failed";
  const kind = searchParams.get("kind");
  const [asking, setAsking] = useState<string | null>(null);
  const lanes = useLoaded("lanes", () => dataOf(api.GET("/v1/admin/queues")));
  const status = useLoaded("kinds", () => dataOf(api.GET("/v1/admin/status")));
  const countsError = lanes.error ?? status.error;
  const query = { state, limit: PAGE_SIZE, ...(kind !== null && { kind: kind as never }) };
  const pages = usePages(`jobs ${state} ${kind}`, (cursor) =>
    dataOf(api.GET("/v1/admin/jobs", { params: { query: { ...query, cursor } } })),
  );
  const { items } = pages;
  const again = () => {
    pages.reload();
    lanes.reload();
    status.reload();
  };
  const rerun = async (body: { jobIds: string[] } | { kind: string }) => {
    const answer = await dataOf(api.POST("/v1/admin/jobs/rerun", { body: body as never }));
    say(text.begun(answer.rerun, answer.remaining));
    again();
  };
  const kinds = [...new Set([...(kind === null ? [] : [kind]), ...(items ?? []).map((job) => job.kind)])];
  const mayRerunKind = kind !== null && (items ?? []).some(({ canRerun }) => canRerun);
  return (
    <>
      {countsError !== undefined && <Alert title={text.lanesFailed} error={countsError} onRetry={again} />}
      {lanes.data && <Lanes lanes={lanes.data.items} />}
      {status.data && <Kinds {...status.data.jobs} />}
      <section class="card" aria-labelledby="jobs-title">
        <header class="row wrap list-head">
          <h2 id="jobs-title" class="grow">
            {text.states[state]}
          </h2>
          <span class="row">
            <a class="btn" href={pathOf("failed", kind)} aria-current={state === "failed" ? "true" : undefined}>
              {text.show.failed}
            </a>
            <a class="btn" href={pathOf("open", kind)} aria-current={state === "open" ? "true" : undefined}>
              {text.show.open}
            </a>
            <button type="button" class="btn" aria-label={text.refresh} onClick={again}>
              <Icon name="retry" />
              <span class="phone-hide">{text.refresh}</span>
            </button>
          </span>
        </header>
        {kinds.length > 0 && (
          <nav class="row wrap list-head" aria-label={text.kinds}>
            <a class="chip" href={pathOf(state, null)} aria-current={kind === null ? "true" : undefined}>
              {text.allKinds}
            </a>
            {kinds.map((one) => (
              <a key={one} class="chip" href={pathOf(state, one)} aria-current={kind === one ? "true" : undefined}>
                {ADMIN.kinds[one] ?? one}
              </a>
            ))}
          </nav>
        )}
        <PagedList
          pages={pages}
          failed={text.failed}
          loading={text.loading}
          none={text.none[state]}
          row={(job) => (
            <Row
              key={job.id}
              job={job}
              onRerun={() => rerun({ jobIds: [job.id] }).catch((thrown) => sayFailed(text.rerunFailed, thrown))}
            />
          )}
        />
        {mayRerunKind && (
          <p class="list-foot">
            <button type="button" class="btn" onClick={() => setAsking(kind)}>
              {text.rerunKind}
            </button>
          </p>
        )}
      </section>
      {asking !== null && (
        <Confirm
          title={text.rerunKindTitle(ADMIN.kinds[asking] ?? asking)}
          help={text.rerunKindHelp}
          send={text.rerunKind}
          failed={text.rerunFailed}
          onSend={() => rerun({ kind: asking })}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}
