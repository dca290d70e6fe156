import { useEffect, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { sizeOf } from "#texts/language.ts";
import { EXPORT } from "#texts/leaving.ts";
import {
  dataOf,
  ProblemError,
  type WorkspaceExport,
  type WorkspaceExportCreate,
} from "../../../../client/src/index.ts";
import { BusyButton } from "../../../ui/buttons.tsx";
import { Check, Field, Form } from "../../../ui/form.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Alert, Refusal, say, sayFailed } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";

const text = EXPORT;
/** Time between two reads of an unfinished export, milliseconds. */
const WATCH_MS = 1_500;

/** The exports of an organization, or of the person's own data. */
interface Exports {
  key: string;
  latest: () => Promise<WorkspaceExport>;
  start: (body: WorkspaceExportCreate) => Promise<WorkspaceExport>;
  cancel: (operationId: string) => Promise<unknown>;
}

const isUnderWay = ({ status }: WorkspaceExport): boolean => status === "queued" || status === "preparing";

/** The latest export; null if there is none. It is read again until it has ended. A new `turn` reads it at once. */
function useLatest({ key, latest }: Exports, turn: number) {
  const [state, setState] = useState<{ found: WorkspaceExport | null; error: unknown }>({ found: null, error: null });
  useEffect(() => {
    let present = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const found = await latest();
        if (!present) return;
        setState({ found, error: null });
        if (isUnderWay(found)) timer = setTimeout(look, WATCH_MS);
      } catch (error) {
        const isNone = error instanceof ProblemError && error.status === 404;
        if (present) setState({ found: null, error: isNone ? null : error });
      }
    };
    void look();
    return () => {
      present = false;
      clearTimeout(timer);
    };
  }, [key, turn]);
  return state;
}

/** The state of an export in words. Screen readers announce each change. */
const saidOf = ({ status, error }: WorkspaceExport): string =>
  error === null ? text.statuses[status] : COMMON.named(text.statuses[status], error.detail);

function Latest({ latest, cancel }: { latest: WorkspaceExport; cancel: (() => Promise<void>) | null }) {
  const { status, progress, fileCount, totalBytes, downloadUrl, expiresAtUtc, createdAtUtc, images } = latest;
  const kept = [images === null ? text.contents.noImages : text.contents.images];
  if (fileCount !== null) kept.unshift(text.files(fileCount));
  return (
    <div class="box stack">
      <h3>{text.latest}</h3>
      <p class="small nums">
        <b class="strong">{saidOf(latest)}</b> · {text.requested(timeOf(createdAtUtc))} · {kept.join(" · ")}
      </p>
      {isUnderWay(latest) && (
        <>
          <progress value={progress.done} max={Math.max(1, progress.total)} aria-label={text.statuses[status]} />
          <p class="small muted nums">
            {text.progress(progress.done, progress.total)}. {text.leavePage}
          </p>
        </>
      )}
      {downloadUrl !== null && (
        <p class="small muted nums">
          {expiresAtUtc !== null && text.until(timeOf(expiresAtUtc))} {text.resume}
        </p>
      )}
      <p class="row wrap">
        {downloadUrl !== null && (
          <a class="btn" href={downloadUrl} download>
            <Icon name="download" />
            {text.download(sizeOf(totalBytes ?? 0))}
          </a>
        )}
        {cancel !== null && (
          <BusyButton onPress={() => cancel()}>{isUnderWay(latest) ? text.cancel : text.remove}</BusyButton>
        )}
      </p>
    </div>
  );
}

/** The beginning of a day of the browser's clock; `days` later. Undefined for an empty field. */
function dayStart(date: string, days = 0): Date | undefined {
  if (date === "") return undefined;
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return new Date(year, month - 1, day + days);
}

/** The images of the chosen days. @throws Refusal if the first day is after the last one */
function chosenImages(from: string, to: string): NonNullable<WorkspaceExportCreate["images"]> {
  if (from !== "" && to !== "" && from > to) throw new Refusal(text.wrongRange);
  const [start, end] = [dayStart(from), dayStart(to, 1)];
  return {
    ...(start && { fromUtc: start.toISOString() }),
    ...(end && { toUtc: new Date(end.getTime() - 1).toISOString() }),
  };
}

interface Props {
  of: "organization" | "own";
  exports: Exports;
  /** Whether the export can have images of cameras. */
  hasImages: boolean;
}

/** Starts an export, and shows the latest one with its progress and its download. */
function ExportSection({ of, exports, hasImages }: Props) {
  const [turn, setTurn] = useState(0);
  const [withImages, setWithImages] = useState(false);
  const { found, error } = useLatest(exports, turn);
  const again = () => setTurn((before) => before + 1);
  const { title, lead } = text[of];
  const isOpen = found !== null && (isUnderWay(found) || found.status === "ready");
  const cancel = async ({ operationId, status }: WorkspaceExport) => {
    try {
      await exports.cancel(operationId);
      say(status === "ready" ? text.removed : text.cancelled);
    } catch (thrown) {
      sayFailed(text.cancelFailed, thrown);
    }
    again();
  };
  return (
    <section class="card pad narrow stack" aria-labelledby={`export-${of}`}>
      <div>
        <h2 id={`export-${of}`}>{title}</h2>
        <p class="muted">{lead}</p>
      </div>
      {error !== null && <Alert title={text.readFailed} error={error} onRetry={again} />}
      <p class="sr" role="status">
        {found !== null && saidOf(found)}
      </p>
      {found !== null && <Latest latest={found} cancel={isOpen ? () => cancel(found) : null} />}
      {(found === null || !isUnderWay(found)) && (
        <Form
          send={found === null ? text.start : text.again}
          failed={text.failed}
          secondary
          onSend={async (value) => {
            await exports.start(withImages ? { images: chosenImages(value("from"), value("to")) } : {});
            setWithImages(false);
            again();
          }}
        >
          {hasImages && <Check label={text.images} checked={withImages} onChange={setWithImages} />}
          {withImages && (
            <>
              <Field label={text.from} name="from" type="date" />
              <Field label={text.to} name="to" type="date" help={text.rangeHelp} />
            </>
          )}
        </Form>
      )}
    </section>
  );
}

/** The export of an organization, for its owners. */
export function OrganizationExport({ organizationId, hasImages }: { organizationId: string; hasImages: boolean }) {
  const path = { organizationId };
  return (
    <ExportSection
      of="organization"
      hasImages={hasImages}
      exports={{
        key: organizationId,
        latest: () => dataOf(api.GET("/v1/orgs/{organizationId}/exports/latest", { params: { path } })),
        start: (body) => dataOf(api.POST("/v1/orgs/{organizationId}/exports", { params: { path }, body })),
        cancel: (operationId) =>
          dataOf(
            api.DELETE("/v1/orgs/{organizationId}/exports/{operationId}", {
              params: { path: { ...path, operationId } },
            }),
          ),
      }}
    />
  );
}

/** The export of the person's own data. */
export const OwnExport = () => (
  <ExportSection
    of="own"
    hasImages={false}
    exports={{
      key: "own",
      latest: () => dataOf(api.GET("/v1/auth/me/exports/latest")),
      start: () => dataOf(api.POST("/v1/auth/me/exports")),
      cancel: (operationId) =>
        dataOf(api.DELETE("/v1/auth/me/exports/{operationId}", { params: { path: { operationId } } })),
    }}
  />
);
