import { TEMPLATES } from "#texts/templates.ts";
import type { Organization } from "../../../../../client/src/index.ts";
import type { Source } from "./model.ts";

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
      <label class="check">
        <input
          type="checkbox"
          name="attachesData"
          checked={source.attachesData}
          disabled={readOnly}
          onChange={(event) => onChange({ attachesData: event.currentTarget.checked })}
        />
        <span>
          {TEMPLATES.attachesData}
          <span class="help">{TEMPLATES.attachesDataHelp}</span>
        </span>
      </label>
      <p class="help">{TEMPLATES.layoutHelp}</p>
      <p class="help">{TEMPLATES.formatsHelp}</p>
    </>
  );
}
