import type { EditorView } from "@codemirror/view";
import { useEffect, useState } from "preact/hooks";
import { sizeOf } from "#texts/language.ts";
import { PDF } from "#texts/reports.ts";
import { dataOf, type Report, type ReportJob } from "../../../../../client/src/index.ts";
import { IconButton } from "../../../../ui/buttons.tsx";
import { timeOf } from "../../../../ui/format.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { useLoaded } from "../../../../ui/loading.ts";
import { Alert, sayFailed } from "../../../../ui/notice.tsx";
import { api } from "../../platform/session.ts";
import { findIn } from "./format.ts";

/** Time between two reads of a PDF's state, milliseconds. */
const POLL_MS = 700;
/** The search parameter with the job of the open panel; `list` if there is no job. */
export const PDF_PARAMETER = "pdf";
export const NO_JOB = "list";
const STEPS = ["waiting", "rendering", "printing", "storing"] as const;

const isOpen = ({ status }: ReportJob): boolean => status === "queued" || status === "running";

const readJob = (jobId: string): Promise<ReportJob> =>
  dataOf(api.GET("/v1/reports/jobs/{jobId}", { params: { path: { jobId } } }));

/** Requests a PDF of the current report. @returns the job's id */
export async function requestPdf(reportId: string): Promise<string> {
  const params = { path: { reportId } };
  return (await dataOf(api.POST("/v1/reports/{reportId}/generate-pdf", { params }))).jobId;
}

async function download(documentId: string, version: number): Promise<void> {
  const params = { path: { documentId }, query: { version } };
  const headers = { accept: "application/json" };
  try {
    const { url } = await dataOf(api.GET("/v1/documents/{documentId}/download", { params, headers }));
    location.assign(url);
  } catch (thrown) {
    sayFailed(PDF.downloadFailed, thrown);
  }
}

/** A job, read until it has ended. */
function useJob(jobId: string | null) {
  const [job, setJob] = useState<ReportJob | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    setJob(null);
    if (jobId === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let present = true;
    const read = async () => {
      try {
        const next = await readJob(jobId);
        if (!present) return;
        setJob(next);
        setError(null);
        if (isOpen(next)) timer = setTimeout(read, POLL_MS);
      } catch (thrown) {
        if (present) setError(thrown);
      }
    };
    void read();
    return () => {
      present = false;
      clearTimeout(timer);
    };
  }, [jobId, turn]);
  return { job, error, reload: () => setTurn((before) => before + 1) };
}

/** A warning, with a button that leads to its place in the text. */
function Place({ at, detail, view }: { at: string; detail: string; view: EditorView | null }) {
  const place = view === null ? null : findIn(view.state.doc.toString(), at);
  return (
    <li class="small">
      <p>
        <b class="strong">{at}</b>
        <br />
        {detail}
      </p>
      {view !== null && place !== null && (
        <button
          type="button"
          class="link"
          onClick={() => {
            view.dispatch({ selection: { anchor: place.from, head: place.to }, scrollIntoView: true });
            view.focus();
          }}
        >
          {PDF.show}
        </button>
      )}
    </li>
  );
}

/** The state of a job in words, with its step while it runs. Screen readers announce each change. */
function saidOf({ status, progress }: ReportJob): string {
  const step = status === "running" ? STEPS[progress.done] : undefined;
  return step === undefined ? PDF.state[status] : PDF.running(PDF.state[status], PDF.steps[step]);
}

function Job({ job, view, reload }: { job: ReportJob; view: EditorView | null; reload: () => void }) {
  const { status, progress, error, warnings, missingImages, documentId, version } = job;
  const cancel = async () => {
    try {
      await dataOf(api.POST("/v1/reports/jobs/{jobId}/cancel", { params: { path: { jobId: job.id } } }));
    } catch (thrown) {
      sayFailed(PDF.cancelFailed, thrown);
    }
    reload();
  };
  return (
    <>
      {isOpen(job) && (
        <>
          <progress aria-label={PDF.progress} max={progress.total} value={progress.done} />
          <ol class="steps small">
            {STEPS.map((step, n) => (
              <li key={step} class={n < progress.done ? "done" : n === progress.done ? "now" : undefined}>
                <Icon name={n < progress.done ? "check" : "clock"} />
                {PDF.steps[step]}
              </li>
            ))}
          </ol>
          <p class="small muted">{PDF.goOn}</p>
        </>
      )}
      {status === "queued" && (
        <button type="button" class="btn" onClick={cancel}>
          {PDF.cancel}
        </button>
      )}
      {error !== null && <p class="alert">{error.detail}</p>}
      {documentId !== null && version !== null && (
        <button type="button" class="btn primary" onClick={() => download(documentId, version)}>
          <Icon name="download" />
          {PDF.download}
        </button>
      )}
      {warnings.length > 0 && (
        <section class="stack">
          <h3>{PDF.warnings}</h3>
          <ul class="stack">
            {warnings.map(({ at, detail }, n) => (
              <Place key={n} at={at} detail={detail} view={view} />
            ))}
          </ul>
        </section>
      )}
      {missingImages.length > 0 && (
        <section class="stack">
          <h3>{PDF.missing}</h3>
          <ul class="stack">
            {missingImages.map(({ image, detail }, n) => (
              <Place key={n} at={image} detail={detail} view={view} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The PDFs that were made so far: the versions of one document. */
function Versions({ documentId }: { documentId: string }) {
  const { data, error, reload } = useLoaded(documentId, () =>
    dataOf(api.GET("/v1/documents/{documentId}/versions", { params: { path: { documentId }, query: { limit: 100 } } })),
  );
  if (error !== undefined) return <Alert title={PDF.versionsFailed} error={error} onRetry={reload} />;
  if (data === undefined) return <p class="small muted">{PDF.versionsLoading}</p>;
  return (
    <ul class="versions">
      {data.items.map(({ version, createdAtUtc, sizeBytes }) => (
        <li key={version} class="row small">
          <span class="grow nums">
            v{version} · <time dateTime={createdAtUtc}>{timeOf(createdAtUtc)}</time> · {sizeOf(sizeBytes)}
          </span>
          <IconButton
            icon="download"
            label={PDF.downloadVersion(version)}
            onPress={() => download(documentId, version)}
          />
        </li>
      ))}
    </ul>
  );
}

/** The panel of PDFs: the current job, and the earlier PDFs. */
export function PdfPanel(props: {
  jobId: string | null;
  report: Report;
  view: EditorView | null;
  onClose: () => void;
}) {
  const { jobId, report, view, onClose } = props;
  const { job, error, reload } = useJob(jobId);
  const documentId = job?.documentId ?? report.latestPdf?.documentId ?? null;
  return (
    <section class="pdf" aria-label={PDF.title}>
      <header class="row">
        <h2 class="grow">{PDF.title}</h2>
        <IconButton icon="x" label={PDF.close} onPress={onClose} />
      </header>
      {error !== null && <Alert title={PDF.stateFailed} error={error} onRetry={reload} />}
      <p role="status" class="strong">
        {job !== null && saidOf(job)}
      </p>
      {job !== null && <Job job={job} view={view} reload={reload} />}
      {(job === null || !isOpen(job)) && (
        <section class="stack">
          <h3>{PDF.earlier}</h3>
          {documentId === null ? (
            <p class="small muted">{PDF.none}</p>
          ) : (
            <Versions key={`${documentId} ${job?.version ?? 0}`} documentId={documentId} />
          )}
        </section>
      )}
    </section>
  );
}
