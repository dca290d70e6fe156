import { useState } from "preact/hooks";
import { TEMPLATES } from "#texts/templates.ts";
import type { Organization, ReportTemplate } from "../../../../../client/src/index.ts";
import { TEMPLATES as LIST } from "../../../../../src/platform/paths.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { Alert } from "../../../../ui/notice.tsx";
import type { Source } from "./model.ts";

/** The head of the editor: the name, the revision and the button that saves. */
export function Head(props: {
  source: Source;
  stored: ReportTemplate | null;
  isChanged: boolean;
  readOnly: boolean;
  onSave: () => Promise<void>;
}) {
  const { source, stored, isChanged, readOnly, onSave } = props;
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setSaving(true);
    setError(null);
    try {
      await onSave();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSaving(false);
    }
  };
  const state = [
    stored === null ? "" : TEMPLATES.revision(stored.revision),
    readOnly ? TEMPLATES.readOnly : isChanged || stored === null ? TEMPLATES.unsaved : TEMPLATES.saved,
  ].filter((one) => one !== "");
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
        {!readOnly && (
          <button type="button" class="btn primary" disabled={saving} onClick={save}>
            {TEMPLATES.save}
          </button>
        )}
      </header>
      {error !== null && !(error instanceof SyntaxError) && <Alert title={TEMPLATES.saveFailed} error={error} />}
    </>
  );
}

/** The names of a template and the path of its main text. */
export function Names(props: {
  source: Source;
  isNew: boolean;
  readOnly: boolean;
  organizationId: string | null;
  /** The organizations whose templates the person may write. */
  owners: readonly Organization[];
  onChange: (part: Partial<Source>) => void;
  onOwner: (organizationId: string | null) => void;
}) {
  const { source, isNew, readOnly, organizationId, owners, onChange, onOwner } = props;
  const input = (name: "displayName" | "key" | "bodyFieldPath", label: string, help?: string) => (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        name={name}
        value={source[name]}
        readOnly={readOnly}
        maxLength={200}
        onInput={(event) => onChange({ [name]: event.currentTarget.value })}
      />
      {help && <span class="help">{help}</span>}
    </label>
  );
  return (
    <>
      {input("displayName", TEMPLATES.name)}
      {input("key", TEMPLATES.key, TEMPLATES.keyHelp)}
      {isNew && owners.length > 0 && (
        <label class="field">
          <span>{TEMPLATES.owner}</span>
          <select
            class="input"
            value={organizationId ?? ""}
            onChange={(event) => onOwner(event.currentTarget.value || null)}
          >
            <option value="">{TEMPLATES.you}</option>
            {owners.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {input("bodyFieldPath", TEMPLATES.bodyPath, TEMPLATES.bodyPathHelp)}
      <p class="help">{TEMPLATES.layoutHelp}</p>
    </>
  );
}
