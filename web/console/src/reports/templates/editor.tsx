import type { EditorView } from "@codemirror/view";
import { useEffect, useRef, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { TEMPLATES } from "#texts/templates.ts";
import type { ReportTemplate, ReportTemplateRevision } from "../../../../../client/src/index.ts";
import { TEMPLATES as LIST, templatePath } from "../../../../../src/platform/paths.ts";
import { useLoaded } from "../../../../ui/loading.ts";
import { Alert, say, Waiting } from "../../../../ui/notice.tsx";
import { Tabs } from "../../../../ui/tabs.tsx";
import { useTitle } from "../../../../ui/title.ts";
import { address, navigate } from "../../platform/router.ts";
import { organizationQuery, organizations } from "../../platform/workspace.ts";
import { Preview } from "../preview.tsx";
import { readReports, readTemplate } from "../read.ts";
import { Head } from "./head.tsx";
import { revisionPath } from "./history.tsx";
import { mayChange } from "./list.tsx";
import { mistakesIn, Problems, usePage } from "./live.tsx";
import {
  createTemplate,
  NEW_SOURCE,
  PARTS,
  type Part,
  readRevision,
  requestOf,
  restoreRevision,
  type Source,
  sourceOf,
  updateTemplate,
} from "./model.ts";
import { Names } from "./names.tsx";
import { PageWarnings } from "./page-warnings.tsx";
import { type Mistake, SourceEditor } from "./source.tsx";

const TABS = [...PARTS, "preview"] as const;
type Tab = (typeof TABS)[number];

const isTab = (value: string | null): value is Tab => TABS.some((tab) => tab === value);

/** Shows another tab or another report. The address keeps its other parameters. */
function go(name: string, value: string): void {
  const { pathname, searchParams } = new URL(address.peek());
  searchParams.set(name, value);
  navigate(`${pathname}?${searchParams}`, { replace: true });
}

interface OpenProps {
  /** Null for a new template. */
  stored: ReportTemplate | null;
  first: Source;
  organizationId: string | null;
  /** The revision that is shown in the place of the present one. */
  earlier: ReportTemplateRevision | null;
  /** Reads the template again. */
  reload: () => void;
}

function Open({ stored: opened, first, organizationId: ownerId, earlier, reload }: OpenProps) {
  const [stored, setStored] = useState(opened);
  const [source, setSource] = useState(first);
  const [kept, setKept] = useState(first);
  const [organizationId, setOrganizationId] = useState(ownerId);
  const views = useRef(new Map<Part, EditorView>());
  const { searchParams } = address.value;
  const asked = searchParams.get("tab");
  const tab: Tab = isTab(asked) ? asked : "layout";
  const reportId = searchParams.get("report") || null;
  const { html, error } = usePage(source, organizationId, reportId);
  const mistakes = error === null ? [] : mistakesIn(error);
  const mayWrite = mayChange(organizationId);
  const readOnly = !mayWrite || earlier !== null;
  const isChanged = source !== kept;
  const reports = useLoaded(organizationQuery.value, () => readReports(organizationQuery.peek()));
  useTitle(source.displayName || TEMPLATES.newTitle);
  useEffect(() => {
    const onLeaving = (event: BeforeUnloadEvent) => isChanged && event.preventDefault();
    addEventListener("beforeunload", onLeaving);
    return () => removeEventListener("beforeunload", onLeaving);
  }, [isChanged]);

  const set = (part: Partial<Source>) => setSource((before) => ({ ...before, ...part }));
  const save = async (after: number | null) => {
    const body = requestOf(source);
    const saved =
      stored === null || after === null
        ? await createTemplate(organizationId, body)
        : await updateTemplate({ id: stored.id, revision: after }, body);
    setStored(saved);
    setKept(source);
    const query = new URLSearchParams({ tab, ...(organizationId !== null && { organizationId }) });
    navigate(`${templatePath(saved.key, null)}?${query}`, { replace: true });
  };
  const restore = async () => {
    if (stored === null || earlier === null) return;
    const restored = await restoreRevision(stored, earlier.revision);
    say(TEMPLATES.restoredRevision(restored.revision));
    navigate(revisionPath(restored, null), { replace: true });
  };
  const show = ({ part, line }: Mistake) => {
    go("tab", part);
    const view = views.current.get(part);
    if (view === undefined) return;
    const place = view.state.doc.line(Math.min(line, view.state.doc.lines));
    // The editor exists only after the tab is shown.
    requestAnimationFrame(() => {
      view.dispatch({ selection: { anchor: place.from }, scrollIntoView: true });
      view.focus();
    });
  };
  return (
    <div class="report template" data-view={tab === "preview" ? "preview" : "source"}>
      <Head
        source={source}
        stored={stored}
        earlier={earlier}
        isChanged={isChanged}
        readOnly={readOnly}
        mayWrite={mayWrite}
        onSave={save}
        onRestore={restore}
        onDiscard={reload}
      />
      <Tabs
        label={TEMPLATES.parts}
        tabs={TABS.map((one) => ({
          href: `?${new URLSearchParams([...[...searchParams].filter(([name]) => name !== "tab"), ["tab", one]])}`,
          label: TEMPLATES.tabs[one],
          isShown: one === tab,
          ...(one === "preview" && { class: "narrow-only" }),
        }))}
      />
      <div class="columns">
        <section class="facts" aria-label={TEMPLATES.name}>
          <Names
            source={source}
            isNew={stored === null}
            readOnly={readOnly}
            organizationId={organizationId}
            owners={(organizations.value ?? []).filter(({ id }) => mayChange(id))}
            onChange={set}
            onOwner={setOrganizationId}
          />
        </section>
        <section class="editor" aria-label={TEMPLATES.tabs[tab]}>
          {PARTS.map((part) => (
            <div key={part} class="part" hidden={part !== tab && !(tab === "preview" && part === "layout")}>
              <SourceEditor
                part={part}
                label={TEMPLATES.sourceOf(TEMPLATES.tabs[part])}
                value={source[part]}
                readOnly={readOnly}
                mistakes={mistakes}
                onChange={(value) => set({ [part]: value })}
                onView={(name, view) => views.current.set(name, view)}
              />
            </div>
          ))}
          <Problems error={error} mistakes={mistakes} onShow={show} />
        </section>
        <section class="live" aria-label={TEMPLATES.tabs.preview}>
          <label class="field with">
            <span>{TEMPLATES.with}</span>
            <select class="input" value={reportId ?? ""} onChange={(event) => go("report", event.currentTarget.value)}>
              <option value="">{TEMPLATES.sample}</option>
              {(reports.data ?? []).map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          {html === null && error === null && <p class="pad muted">{COMMON.loading}</p>}
          {html !== null && <PageWarnings html={html} />}
          {html !== null && <Preview html={html} title={TEMPLATES.tabs.preview} />}
        </section>
      </div>
    </div>
  );
}

/** The editor of a template: its names, its sources with errors at their lines, and its page. */
export default function TemplateEditor({ templateKey }: { templateKey: string | null }) {
  const { searchParams } = address.value;
  const organizationId = searchParams.get("organizationId");
  const wanted = Number(searchParams.get("revision")) || null;
  const asked = { key: templateKey ?? searchParams.get("from"), organizationId, wanted };
  // A saved template changes the address. Open panels stay, until the person asks for another revision.
  const latest = useRef(asked);
  if (latest.current.wanted !== wanted) latest.current = asked;
  const opening = latest.current;
  const { data, error, slow, reload } = useLoaded(`${opening.key} ${opening.organizationId} ${wanted}`, async () => {
    if (opening.key === null) return { template: null, earlier: null };
    const template = await readTemplate({ key: opening.key, organizationId: opening.organizationId });
    const isEarlier = wanted !== null && wanted !== template.revision;
    return { template, earlier: isEarlier ? await readRevision(template.id, wanted) : null };
  });
  const isCopy = templateKey === null && opening.key !== null;
  if (data === undefined)
    return (
      <div class="page">
        <h1 class="sr">{TEMPLATES.title}</h1>
        {error !== undefined && <Alert title={TEMPLATES.openFailed} error={error} onRetry={reload} />}
        {slow && <Waiting text={TEMPLATES.loading} />}
        <p class="links">
          <a href={LIST}>{TEMPLATES.backToList}</a>
        </p>
      </div>
    );
  const { template, earlier } = data;
  const source = template === null ? NEW_SOURCE : sourceOf({ ...template, ...earlier });
  const copied = { ...source, key: `${source.key}-copy`.slice(-64), displayName: TEMPLATES.copyOf(source.displayName) };
  const owner = template === null || isCopy ? opening.organizationId : template.organizationId;
  return (
    <Open
      // Sources of another revision replace the shown ones.
      key={`${template?.revision} ${earlier?.revision}`}
      stored={isCopy ? null : template}
      earlier={isCopy ? null : earlier}
      reload={reload}
      first={isCopy ? copied : source}
      organizationId={mayChange(owner) || !isCopy ? owner : null}
    />
  );
}
