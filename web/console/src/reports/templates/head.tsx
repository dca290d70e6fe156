import { useState } from "preact/hooks";
import { TEMPLATES } from "#texts/templates.ts";
import {
  ProblemError,
  type ReportTemplate,
  type ReportTemplateRevision,
  type ReportTemplateRevisionSummary,
} from "../../../../../client/src/index.ts";
import { TEMPLATES as LIST } from "../../../../../src/platform/paths.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { Alert } from "../../../../ui/notice.tsx";
import { History, revisionPath, savedAt } from "./history.tsx";
import { differencesOf, readRevisions, type Source, sourceOf } from "./model.ts";

/** What happened to a save of a template that another person changed meanwhile. */
function Conflict(props: {
  template: ReportTemplate;
  theirs: ReportTemplateRevisionSummary;
  busy: boolean;
  onSave: () => void;
  onDiscard: () => void;
}) {
  const { template, theirs, busy, onSave, onDiscard } = props;
  return (
    <div class="alert" role="alert">
      <p class="row">
        <Icon name="alert" />
        <b>{TEMPLATES.conflict(theirs.revision, theirs.savedByName ?? TEMPLATES.someone)}</b>
      </p>
      <p>{TEMPLATES.conflictHelp}</p>
      <p class="row wrap">
        <button type="button" class="btn primary" disabled={busy} onClick={onSave}>
          {TEMPLATES.saveMine}
        </button>
        <button type="button" class="btn" disabled={busy} onClick={onDiscard}>
          {TEMPLATES.takeTheirs}
        </button>
        <a class="btn" href={revisionPath(template, null)} target="_blank" rel="noopener">
          {TEMPLATES.seeTheirs}
        </a>
      </p>
    </div>
  );
}

/** The head of the editor: the name, the revision, the revisions and the button that saves or restores. */
export function Head(props: {
  source: Source;
  stored: ReportTemplate | null;
  /** The revision that is shown in the place of the present one. */
  earlier: ReportTemplateRevision | null;
  isChanged: boolean;
  readOnly: boolean;
  mayWrite: boolean;
  /** Saves the sources. `after` is the number of the revision that they replace; null for a new template. */
  onSave: (after: number | null) => Promise<void>;
  onRestore: () => Promise<void>;
  onDiscard: () => void;
}) {
  const { source, stored, earlier, isChanged, readOnly, mayWrite, onSave, onRestore, onDiscard } = props;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<ReportTemplateRevisionSummary | null>(null);
  const [choosing, setChoosing] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    setTheirs(null);
    try {
      await work();
    } catch (thrown) {
      const isStale = thrown instanceof ProblemError && thrown.code === "stale-revision" && stored !== null;
      const [newest] = isStale ? await readRevisions(stored.id).catch(() => []) : [];
      setTheirs(newest ?? null);
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const differences = stored === null ? [] : differencesOf(source, sourceOf(stored));
  const isStored = !isChanged && stored !== null;
  const state =
    earlier === null
      ? [
          stored === null ? "" : TEMPLATES.revision(stored.revision),
          readOnly ? TEMPLATES.readOnly : isStored ? TEMPLATES.saved : TEMPLATES.unsaved,
        ].filter((one) => one !== "")
      : [TEMPLATES.revision(earlier.revision), savedAt(earlier)];
  return (
    <>
      <header class="report-head">
        <a class="btn bare icon-only" href={LIST} aria-label={TEMPLATES.backToList}>
          <Icon name="left" />
        </a>
        <div class="grow">
          <h1 class="cut">{source.displayName || TEMPLATES.newTitle}</h1>
          <p class="xs muted cut nums" role="status">
            {state.join(" · ")}
          </p>
        </div>
        {stored !== null && (
          <button
            type="button"
            class="btn bare icon-only"
            aria-label={TEMPLATES.history}
            onClick={() => setChoosing(true)}
          >
            <Icon name="clock" />
          </button>
        )}
        {!readOnly && (
          <button
            type="button"
            class="btn primary"
            disabled={busy}
            onClick={() => run(() => onSave(stored?.revision ?? null))}
          >
            {TEMPLATES.save}
          </button>
        )}
      </header>
      {stored !== null && earlier !== null && (
        <p class="row wrap earlier">
          {mayWrite && (
            <button type="button" class="btn primary" disabled={busy} onClick={() => run(onRestore)}>
              {TEMPLATES.restoreRevision}
            </button>
          )}
          <a class="btn" href={revisionPath(stored, null)}>
            {TEMPLATES.toPresent}
          </a>
          <span class="small muted">
            {differences.length === 0 ? TEMPLATES.differsNot : TEMPLATES.differs(differences.join(", "))}
          </span>
        </p>
      )}
      {choosing && stored !== null && (
        <History
          template={stored}
          shown={earlier?.revision ?? stored.revision}
          inOtherTab={isChanged}
          onClose={() => setChoosing(false)}
        />
      )}
      {theirs !== null && stored !== null && earlier === null && (
        <Conflict
          template={stored}
          theirs={theirs}
          busy={busy}
          onSave={() => void run(() => onSave(theirs.revision))}
          onDiscard={onDiscard}
        />
      )}
      {error !== null && (theirs === null || earlier !== null) && !(error instanceof SyntaxError) && (
        <Alert title={earlier === null ? TEMPLATES.saveFailed : TEMPLATES.restoreRevisionFailed} error={error} />
      )}
    </>
  );
}
