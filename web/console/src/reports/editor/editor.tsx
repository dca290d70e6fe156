import type { EditorView } from "@codemirror/view";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { list } from "#texts/language.ts";
import { EDITOR, REPORTS as LIST, PDF } from "#texts/reports.ts";
import { dataOf, type Report } from "../../../../../client/src/index.ts";
import { REPORTS, tabPath } from "../../../../../src/platform/paths.ts";
import { IconButton } from "../../../../ui/buttons.tsx";
import { initialsOf } from "../../../../ui/format.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { useLoaded } from "../../../../ui/loading.ts";
import { Alert, CalmCard, sayFailed, Waiting } from "../../../../ui/notice.tsx";
import { useTitle } from "../../../../ui/title.ts";
import { useFresh } from "../../platform/live/index.ts";
import { address, navigate } from "../../platform/router.ts";
import { api } from "../../platform/session.ts";
import { RenameReport } from "../list.tsx";
import { Preview } from "../preview.tsx";
import { templateOf } from "../read.ts";
import { Fields } from "./fields.tsx";
import { Markdown } from "./markdown.tsx";
import { NO_JOB, PDF_PARAMETER, PdfPanel, requestPdf } from "./pdf.tsx";
import { pictureNames } from "./picture.ts";
import { groundOf, Room } from "./room.ts";
import { type Row, useRow } from "./row.ts";
import { Toolbar } from "./toolbar.tsx";

/** The three columns. Below 1000 px, only one of them is shown. */
const VIEWS = ["facts", "text", "preview"] as const;
type View = (typeof VIEWS)[number];

const isView = (value: string | null): value is View => VIEWS.some((view) => view === value);

/** The people who have the report open, each once, with their colour. */
function People({ room }: { room: Room }) {
  const everybody = new Map(room.people.value.map((person) => [person.id, person]));
  const own = room.user.value?.id;
  const all = [...everybody.values()];
  if (all.length === 0) return null;
  const names = all.map(({ id, name }) => (id === own ? EDITOR.you(name) : name));
  return (
    <div class="people" role="img" aria-label={EDITOR.people(list(names))}>
      {all.map(({ id, name, color }) => (
        <span key={id} class="avatar" title={name} style={{ backgroundColor: groundOf(color) }}>
          {initialsOf(name)}
        </span>
      ))}
    </div>
  );
}

/** Whether every change is saved. */
function Saved({ room }: { room: Room }) {
  if (room.readOnly.value) return <span>{EDITOR.readOnly}</span>;
  if (!room.unsaved.value) return <span>{EDITOR.saved}</span>;
  return <span>{room.connection.value === "lost" ? EDITOR.notSaved : EDITOR.saving}</span>;
}

/** Shows another part of the editor. The address keeps its other parameters. */
function go(name: string, value: string | null): void {
  const { pathname, searchParams } = new URL(address.peek());
  if (value === null) searchParams.delete(name);
  else searchParams.set(name, value);
  navigate(`${pathname}?${searchParams}`, { replace: true });
}

/** The button that makes a PDF, for people who may add documents here, and the button that shows the PDFs so far. */
function PdfButtons({ room, report }: { room: Room; report: Report }) {
  const { locationId } = report;
  const [asking, setAsking] = useState(false);
  const place = useLoaded(locationId, () =>
    dataOf(api.GET("/v1/spatial/locations/{locationId}", { params: { path: { locationId } } })),
  );
  // The service decides. The button goes only when the location says that no documents may be added.
  const mayMake = !room.readOnly.value && (place.data?.capabilities.Documents ?? "Write") === "Write";
  const make = async () => {
    setAsking(true);
    try {
      go(PDF_PARAMETER, await requestPdf(report.id));
    } catch (thrown) {
      sayFailed(PDF.failed, thrown);
    } finally {
      setAsking(false);
    }
  };
  return (
    <>
      {report.latestPdf !== null && (
        <IconButton icon="clock" label={PDF.open} onPress={() => go(PDF_PARAMETER, NO_JOB)} />
      )}
      {mayMake && (
        <button type="button" class="btn primary" disabled={asking} onClick={make} aria-label={PDF.make}>
          <Icon name="report" />
          <span class="phone-hide">{PDF.make}</span>
        </button>
      )}
    </>
  );
}

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0;

interface TextProps {
  room: Room;
  view: EditorView | null;
  onView: (view: EditorView | null) => void;
  locationId: string | null;
}

function Text({ room, view, onView, locationId }: TextProps) {
  const text = room.body.value;
  // The count is updated at every change.
  const words = room.changes.value >= 0 && text !== null ? wordsIn(text.toString()) : 0;
  return (
    <section class="editor" aria-label={EDITOR.text}>
      {view !== null && !room.readOnly.value && <Toolbar view={view} locationId={locationId} />}
      {view === null && text !== null && !room.readOnly.value && <div class="toolbar" />}
      {text === null ? <p class="pad muted">{EDITOR.noBody}</p> : <Markdown room={room} onView={onView} />}
      <p class="status">
        <span class="grow nums">{text !== null && EDITOR.words(words)}</span>
        <span role="status">
          <Saved room={room} />
        </span>
      </p>
    </section>
  );
}

function Live({ row, title }: { row: Row; title: string }) {
  return (
    <section class="live" aria-label={EDITOR.preview}>
      {row.previewError !== undefined && row.report !== null && (
        <Alert title={EDITOR.previewFailed} error={row.previewError} onRetry={row.refresh} />
      )}
      {row.html === null && row.previewError === undefined && <p class="pad muted">{EDITOR.previewLoading}</p>}
      {row.html !== null && <Preview html={row.html} title={EDITOR.previewOf(title)} />}
    </section>
  );
}

function Open({ room }: { room: Room }) {
  const row = useRow(room);
  const [renaming, setRenaming] = useState(false);
  const [view, setView] = useState<EditorView | null>(null);
  const { report } = row;
  const template = useLoaded(report?.templateId ?? "", () =>
    report === null ? Promise.resolve(null) : templateOf(report),
  );
  const title = report?.title ?? "";
  useTitle(title === "" ? LIST.title : title);
  const { searchParams } = address.value;
  const asked = searchParams.get("view");
  const pdf = searchParams.get(PDF_PARAMETER);
  const shown: View = isView(asked) ? asked : "text";
  const back = report === null ? REPORTS : tabPath(report.locationId, "reports");
  const place = report?.locationName ?? null;
  const locationId = report?.locationId ?? null;
  // Another person may rename the report.
  useFresh(
    locationId === null ? [] : [locationId],
    row.refresh,
    (event) => event.kind === "StateUpdated" && event.subject.id === room.reportId,
  );
  const layout = template.data?.htmlLayoutTemplate ?? "";
  const scope = useMemo(
    () => (locationId === null ? null : { room, locationId, pictures: pictureNames(layout) }),
    [room, locationId, layout],
  );
  const hasFields = room.changes.value >= 0 && [...room.draft.keys()].some((key) => key !== room.bodyPath);
  return (
    <div class="report" data-view={shown}>
      <header class="report-head">
        <a class="btn bare icon-only" href={back} aria-label={place === null ? EDITOR.backToAll : EDITOR.back(place)}>
          <Icon name="left" />
        </a>
        <div class="grow">
          <h1 class="cut">{report === null ? EDITOR.opening : title}</h1>
          <p class="xs muted cut">{[place, report?.templateName].filter((name) => name != null).join(" · ")}</p>
        </div>
        <People room={room} />
        {report !== null && !room.readOnly.value && (
          <IconButton icon="pen" label={LIST.rename(title)} onPress={() => setRenaming(true)} />
        )}
        {report !== null && <PdfButtons room={room} report={report} />}
      </header>
      {room.connection.value === "lost" && (
        <p class="thinline" role="status">
          <Icon name="offline" />
          {EDITOR.lost}
        </p>
      )}
      {room.refusal.value !== null && (
        <p class="thinline" role="status">
          <Icon name="alert" />
          {COMMON.named(EDITOR.refused, room.refusal.value)}
        </p>
      )}
      <fieldset class="seg views">
        <legend class="sr">{EDITOR.views}</legend>
        {VIEWS.map((one) => (
          <button key={one} type="button" aria-pressed={one === shown} onClick={() => go("view", one)}>
            {EDITOR[one]}
          </button>
        ))}
      </fieldset>
      {report === null && row.previewError !== undefined && (
        <Alert title={EDITOR.failed} error={row.previewError} onRetry={row.refresh} />
      )}
      <div class="columns">
        <section class="facts" aria-label={EDITOR.factsOf}>
          {hasFields && scope === null && <p class="muted">{EDITOR.factsLoading}</p>}
          {hasFields && scope !== null && (
            <Fields scope={scope} map={room.draft} shape={template.data?.contentTemplateJson} />
          )}
          {!hasFields && <p class="muted">{EDITOR.noFields}</p>}
        </section>
        <Text room={room} view={view} onView={setView} locationId={locationId} />
        <Live row={row} title={title} />
      </div>
      {pdf !== null && report !== null && (
        <PdfPanel
          jobId={pdf === NO_JOB ? null : pdf}
          report={report}
          view={view}
          onClose={() => go(PDF_PARAMETER, null)}
        />
      )}
      {renaming && report !== null && (
        <RenameReport reportId={report.id} title={title} onClose={() => setRenaming(false)} onDone={row.refresh} />
      )}
    </div>
  );
}

const Message = ({ children }: { children: ComponentChildren }) => (
  <div class="page">
    <h1 class="sr">{LIST.title}</h1>
    {children}
  </div>
);

function Ended({ code }: { code: number }) {
  return (
    <Message>
      <CalmCard icon="lock" title={EDITOR.failed} help={EDITOR.ended[code] ?? EDITOR.endedElse}>
        <a class="btn primary" href={REPORTS}>
          {EDITOR.toReports}
        </a>
        {code !== 4403 && code !== 4404 && (
          <button type="button" class="btn" onClick={() => location.reload()}>
            {EDITOR.reload}
          </button>
        )}
      </CalmCard>
    </Message>
  );
}

/** The room that took the place of a room, after rejected edits. */
function latestOf(room: Room): Room {
  const next = room.renewed.value;
  return next === null ? room : latestOf(next);
}

/** The editor of a report: its fields, its text and its page, with everybody who has opened it. */
export default function ReportEditor({ reportId }: { reportId: string }) {
  const [first, setFirst] = useState<Room | null>(null);
  useEffect(() => {
    const opened = Room.open(reportId);
    setFirst(opened);
    return () => latestOf(opened).leave();
  }, [reportId]);
  const room = first === null ? null : latestOf(first);
  const code = room?.ended.value ?? null;
  const error = room?.error.value ?? null;
  const isIn = room !== null && room.changes.value > 0;
  return (
    <>
      {code !== null && <Ended code={code} />}
      {code === null && error !== null && (
        <Message>
          <Alert title={EDITOR.failed} error={error} />
        </Message>
      )}
      {code === null && error === null && room !== null && isIn && <Open key={room.doc.clientID} room={room} />}
      {code === null && error === null && !isIn && (
        <Message>
          <Waiting text={room?.connection.value === "lost" ? EDITOR.notOpened : EDITOR.opening} />
        </Message>
      )}
    </>
  );
}
