import { DOCUMENTS } from "#texts/documents.ts";
import { dataOf, eachItem } from "../../../../client/src/index.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { collect } from "../platform/listed.ts";
import { api, session } from "../platform/session.ts";
import { KINDS, SORTS, STATUSES, show, shown } from "./shown.ts";
import { useTags } from "./tags.tsx";

function Select(props: {
  label: string;
  value: string;
  /** The first choice, which limits nothing. */
  none?: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}) {
  const { label, value, none, options, onChange } = props;
  return (
    <label class="chooser">
      <span class="sr">{label}</span>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A day that limits the list. */
function Day({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <label class="day">
      <span class="small muted">{label}</span>
      <input class="input nums" type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}

/** The people of the workspace by id: the reader first. The reader alone, if the others are hidden. */
function usePeople(organizationId: string | null): readonly (readonly [id: string, name: string])[] {
  const me = session.value?.user;
  const { data = [] } = useLoaded(`people ${organizationId}`, async () => {
    if (organizationId === null) return [];
    const path = { organizationId };
    const all = eachItem((cursor) =>
      dataOf(api.GET("/v1/orgs/{organizationId}/members", { params: { path, query: { limit: 100, cursor } } })),
    );
    return collect(all);
  });
  if (me === undefined) return [];
  const others = data.filter(({ userId }) => userId !== me.id);
  return [[me.id, DOCUMENTS.addedByMe], ...others.map(({ userId, displayName }) => [userId, displayName] as const)];
}

/** The order, the filters and the form of the list of documents. */
export function Filters({ organizationId }: { organizationId: string | null }) {
  const text = DOCUMENTS;
  const { sort, order, filters, from, until, view } = shown.value;
  const { kind, textStatus, tagId, createdBy } = filters;
  const { data: tags = [] } = useTags(organizationId);
  const people = usePeople(organizationId);
  return (
    <div class="row wrap doc-filters">
      <Select
        label={text.sortBy}
        value={sort}
        options={SORTS.map((one) => [one, text.sorts[one]])}
        onChange={(value) => show({ sort: value === "name" ? "" : value })}
      />
      <button
        type="button"
        class="btn icon-only"
        aria-label={text.orders[order]}
        title={text.orders[order]}
        onClick={() => show({ order: order === "asc" ? "desc" : "" })}
      >
        <Icon name={order === "asc" ? "down" : "up"} />
      </button>
      <Select
        label={text.kind}
        value={kind ?? ""}
        none={text.anyKind}
        options={KINDS.map((one) => [one, text.kinds[one]])}
        onChange={(value) => show({ kind: value })}
      />
      <Select
        label={text.columns.text}
        value={textStatus ?? ""}
        none={text.anyText}
        options={STATUSES.map((one) => [one, text.text({ textStatus: one, pageCount: null })])}
        onChange={(value) => show({ text: value })}
      />
      {(tags.length > 0 || tagId !== undefined) && (
        <Select
          label={text.tags}
          value={tagId ?? ""}
          none={text.anyTag}
          options={tags.map(({ id, name }) => [id, name])}
          onChange={(value) => show({ tag: value })}
        />
      )}
      {(people.length > 1 || createdBy !== undefined) && (
        <Select
          label={text.columns.addedBy}
          value={createdBy ?? ""}
          none={text.anybody}
          options={people}
          onChange={(value) => show({ by: value })}
        />
      )}
      <Day label={text.changedFrom} value={from} onChange={(value) => show({ from: value })} />
      <Day label={text.changedUntil} value={until} onChange={(value) => show({ until: value })} />
      <fieldset class="seg">
        <legend class="sr">{text.view}</legend>
        {(["list", "grid"] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={view === one}
            onClick={() => show({ view: one === "list" ? "" : one })}
          >
            {text.views[one]}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
