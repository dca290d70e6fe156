import { useEffect, useMemo, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { PARTIALS } from "#texts/partials.ts";
import { TEMPLATES } from "#texts/templates.ts";
import type { ReportPartialWithUses } from "../../../../../../client/src/index.ts";
import { PARTIALS as LIST, partialPath, templatePath } from "../../../../../../src/platform/paths.ts";
import { Icon } from "../../../../../ui/icon.tsx";
import { useLoaded } from "../../../../../ui/loading.ts";
import { Alert, Waiting } from "../../../../../ui/notice.tsx";
import { Tabs } from "../../../../../ui/tabs.tsx";
import { useTitle } from "../../../../../ui/title.ts";
import { address, navigate } from "../../../platform/router.ts";
import { organization } from "../../../platform/workspace.ts";
import { Preview } from "../../preview.tsx";
import { mayChange } from "../list.tsx";
import { mistakesIn, Problems, usePage } from "../live.tsx";
import { NEW_SOURCE, type Source } from "../model.ts";
import { PageWarnings } from "../page-warnings.tsx";
import { SourceEditor } from "../source.tsx";
import { readPartial, savePartial } from "./model.ts";

/** The template that shows a shared part alone. An empty layout would be the default page. */
const aloneOf = (source: string): Source => ({
  ...NEW_SOURCE,
  bodyFieldPath: "",
  skeleton: "{}",
  text: "",
  layout: source.trim() === "" ? "<p></p>" : source,
});

/** What uses a shared part. */
function UsedBy({ partial }: { partial: ReportPartialWithUses }) {
  const { organizationId, usedBy } = partial;
  if (usedBy.templates.length + usedBy.partials.length === 0) return <p class="help">{PARTIALS.unused}</p>;
  return (
    <div class="field">
      <span>{PARTIALS.usedBy}</span>
      <ul class="links small">
        {usedBy.templates.map(({ id, key, displayName, isDeleted }) => (
          <li key={id}>
            {isDeleted ? PARTIALS.deleted(displayName) : <a href={templatePath(key, organizationId)}>{displayName}</a>}
          </li>
        ))}
        {usedBy.partials.map((name) => (
          <li key={name}>
            <a href={partialPath(name, organizationId)}>
              <code>{name}</code>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface OpenProps {
  organizationId: string;
  /** Null for a new shared part. */
  stored: ReportPartialWithUses | null;
}

function Open({ organizationId, stored }: OpenProps) {
  const [name, setName] = useState(stored?.name ?? "");
  const [source, setSource] = useState(stored?.source ?? "");
  const [kept, setKept] = useState({ source: stored?.source ?? "", revision: stored?.revision ?? null });
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { searchParams } = address.value;
  const isPreview = searchParams.get("tab") === "preview";
  const alone = useMemo(() => aloneOf(source), [source]);
  const { html, error } = usePage(alone, organizationId, null);
  const mistakes = error === null ? [] : mistakesIn(error);
  const readOnly = !mayChange(organizationId);
  const isChanged = source !== kept.source;
  useTitle(name || PARTIALS.create);
  useEffect(() => {
    const onLeaving = (event: BeforeUnloadEvent) => isChanged && event.preventDefault();
    addEventListener("beforeunload", onLeaving);
    return () => removeEventListener("beforeunload", onLeaving);
  }, [isChanged]);
  const save = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const { revision } = await savePartial(organizationId, name, source, kept.revision);
      setKept({ source, revision });
      if (stored === null) navigate(partialPath(name, organizationId), { replace: true });
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  const isStored = !isChanged && kept.revision !== null;
  const state = [
    kept.revision === null ? "" : TEMPLATES.revision(kept.revision),
    readOnly ? PARTIALS.readOnly : isStored ? TEMPLATES.saved : TEMPLATES.unsaved,
  ].filter((one) => one !== "");
  const tabs = [
    ["source", PARTIALS.source],
    ["preview", TEMPLATES.tabs.preview],
  ] as const;
  return (
    <div class="report template" data-view={isPreview ? "preview" : "source"}>
      <header class="report-head">
        <a class="btn bare icon-only" href={LIST} aria-label={PARTIALS.backToList}>
          <Icon name="left" />
        </a>
        <div class="grow">
          <h1 class="cut">{name || PARTIALS.create}</h1>
          <p class="xs muted cut nums" role="status">
            {state.join(" · ")}
          </p>
        </div>
        {!readOnly && (
          <button type="button" class="btn primary" disabled={busy} onClick={save}>
            {TEMPLATES.save}
          </button>
        )}
      </header>
      {failure !== null && <Alert title={PARTIALS.saveFailed} error={failure} />}
      <Tabs
        label={TEMPLATES.parts}
        tabs={tabs.map(([tab, label]) => ({
          href: `?${new URLSearchParams([...[...searchParams].filter(([key]) => key !== "tab"), ["tab", tab]])}`,
          label,
          isShown: (tab === "preview") === isPreview,
          class: "narrow-only",
        }))}
      />
      <div class="columns">
        <section class="facts" aria-label={PARTIALS.name}>
          <label class="field">
            <span>{PARTIALS.name}</span>
            <input
              class="input"
              name="name"
              value={name}
              readOnly={readOnly || stored !== null}
              maxLength={64}
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <span class="help">{stored === null ? PARTIALS.nameHelp : PARTIALS.use(name)}</span>
          </label>
          <p class="help">{PARTIALS.help}</p>
          <p class="help">{TEMPLATES.formatsHelp}</p>
          {stored !== null && <UsedBy partial={stored} />}
        </section>
        <section class="editor" aria-label={PARTIALS.source}>
          <div class="part">
            <SourceEditor
              part="layout"
              label={PARTIALS.source}
              value={source}
              readOnly={readOnly}
              mistakes={mistakes}
              onChange={setSource}
              onView={() => {}}
            />
          </div>
          <Problems error={error} mistakes={mistakes} onShow={() => {}} />
        </section>
        <section class="live" aria-label={TEMPLATES.tabs.preview}>
          {html === null && error === null && <p class="pad muted">{COMMON.loading}</p>}
          {html !== null && <PageWarnings html={html} />}
          {html !== null && <Preview html={html} title={TEMPLATES.tabs.preview} />}
        </section>
      </div>
    </div>
  );
}

/** The editor of a shared part: its name, its source with errors at their lines, and how it looks alone. */
export default function PartialEditor({ name }: { name: string | null }) {
  const organizationId = address.value.searchParams.get("organizationId") ?? organization.value?.id ?? "";
  const { data, error, slow, reload } = useLoaded(`partial ${organizationId} ${name}`, async () => ({
    stored: name === null ? null : await readPartial(organizationId, name),
  }));
  if (data !== undefined)
    return <Open key={`${name} ${data.stored?.revision}`} organizationId={organizationId} stored={data.stored} />;
  return (
    <div class="page">
      <h1 class="sr">{PARTIALS.title}</h1>
      {error !== undefined && <Alert title={PARTIALS.openFailed} error={error} onRetry={reload} />}
      {slow && <Waiting text={PARTIALS.loading} />}
      <p class="links">
        <a href={LIST}>{PARTIALS.backToList}</a>
      </p>
    </div>
  );
}
