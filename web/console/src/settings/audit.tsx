import { useState } from "preact/hooks";
import { AUDIT } from "#texts/audit.ts";
import { type AuditEntry, dataOf, eachItem } from "../../../../client/src/index.ts";
import { saveFile } from "../../../archive/save.ts";
import { Choice, Field } from "../../../ui/form.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { say, sayFailed } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { usePages } from "../../../ui/pages.ts";
import { dayUtc } from "../platform/days.ts";
import { collect } from "../platform/listed.ts";
import { address, navigate } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { organization } from "../platform/workspace.ts";
import { ACTIONS } from "./audit-actions.ts";
import { csvOf, MAX_CSV_ENTRIES } from "./audit-csv.ts";

const FILTERS = ["action", "person", "from", "until"] as const;
type Filter = Partial<Record<(typeof FILTERS)[number], string>>;

/** An action in words; the code of an action without words. */
function inWords(action: string): string {
  const [code = "", did = ""] = action.split(".");
  const [noun, verb] = [AUDIT.nouns[code], AUDIT.verbs[did]];
  return noun === undefined || verb === undefined ? action : AUDIT.what(noun, verb);
}

const queryOf = ({ action, person, from, until }: Filter) => ({
  ...(action && { action }),
  ...(person && { actorUserId: person }),
  ...(from && { fromUtc: dayUtc(from) }),
  ...(until && { toUtc: dayUtc(until, 1) }),
});

/** The filter of the address. */
function chosen(): Filter {
  const { searchParams } = address.value;
  const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  return Object.fromEntries(
    FILTERS.map((name) => [name, searchParams.get(name) ?? ""] as const).filter(
      ([name, value]) => value !== "" && (name === "action" || name === "person" || isDay(value)),
    ),
  );
}

function choose(name: keyof Filter, value: string): void {
  const next = new URL(address.peek());
  if (value === "") next.searchParams.delete(name);
  else next.searchParams.set(name, value);
  navigate(next.href, { replace: true });
}

type People = ReadonlyMap<string, string>;

function Filters({ filter, people }: { filter: Filter; people: People }) {
  const text = AUDIT;
  const named = (all: string, options: readonly { value: string; label: string }[], value = "") => [
    { value: "", label: all },
    ...options,
    // The address may name an action or a person that the list does not have.
    ...(value === "" || options.some((one) => one.value === value) ? [] : [{ value, label: value }]),
  ];
  const actions = ACTIONS.map((value) => ({ value, label: inWords(value) }));
  const members = [...people].map(([value, label]) => ({ value, label }));
  const days = { from: text.fromDay, until: text.untilDay };
  return (
    // biome-ignore lint/a11y/useSemanticElements: each field acts by itself, and the group has a name only
    <div class="card pad audit-filters" role="group" aria-label={text.filter}>
      <Choice
        label={text.action}
        name="action"
        options={named(text.allActions, actions, filter.action)}
        value={filter.action ?? ""}
        onChange={(value) => choose("action", value)}
      />
      <Choice
        label={text.person}
        name="person"
        options={named(text.everybody, members, filter.person)}
        value={filter.person ?? ""}
        onChange={(value) => choose("person", value)}
      />
      {(["from", "until"] as const).map((name) => (
        <Field
          key={`${name} ${filter[name]}`}
          label={days[name]}
          name={name}
          type="date"
          defaultValue={filter[name] ?? ""}
          onChange={(value) => choose(name, value)}
        />
      ))}
      {Object.keys(filter).length > 0 && (
        <a class="btn" href={address.value.pathname}>
          {text.showAll}
        </a>
      )}
    </div>
  );
}

function Entry({ entry, people }: { entry: AuditEntry; people: People }) {
  const { action, actor, subjectType, subjectId, details, ip, requestId, createdAtUtc } = entry;
  const text = AUDIT;
  const credential = [actor.kind, actor.credentialId].filter((part) => part !== null).join(" ");
  const facts: [string, string][] = [
    [text.facts.subject, `${subjectType} ${subjectId}`],
    [text.facts.credential, credential],
    ...(ip === null ? [] : [[text.facts.address, ip] satisfies [string, string]]),
    [text.facts.request, requestId],
  ];
  const who = actor.kind === "device" ? text.device : text.service;
  return (
    <li class="audit-entry">
      <span class="grow">
        <b class="strong">{inWords(action)}</b>
        <br />
        <span class="small muted nums">
          {actor.userId === null ? who : (people.get(actor.userId) ?? text.former)} ·{" "}
          <time dateTime={createdAtUtc}>{timeOf(createdAtUtc)}</time>
        </span>
        <details class="small">
          <summary>{text.details}</summary>
          <dl class="facts">
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <code>{value}</code>
                </dd>
              </div>
            ))}
          </dl>
          {Object.keys(details).length > 0 && <pre>{JSON.stringify(details, null, 2)}</pre>}
        </details>
      </span>
    </li>
  );
}

/** The audit trail of the organization, narrowed by the address, and as a file. */
export function AuditPart() {
  const text = AUDIT;
  const organizationId = organization.value?.id ?? "";
  const path = { organizationId };
  const filter = chosen();
  const query = queryOf(filter);
  const [read, setRead] = useState<number | null>(null);
  const members = useLoaded(`names ${organizationId}`, async () => {
    const all = eachItem((cursor) =>
      dataOf(api.GET("/v1/orgs/{organizationId}/members", { params: { path, query: { limit: 100, cursor } } })),
    );
    return new Map((await collect(all)).map(({ userId, displayName }) => [userId, displayName]));
  });
  const readPage = (limit: number) => (cursor: string | undefined) =>
    dataOf(api.GET("/v1/orgs/{organizationId}/audit", { params: { path, query: { ...query, limit, cursor } } }));
  const pages = usePages(`audit ${organizationId} ${JSON.stringify(query)}`, readPage(50));
  const people: People = members.data ?? new Map();
  const save = async () => {
    setRead(0);
    try {
      const { text: csv, count, isCut } = await csvOf(readPage(100), (userId) => people.get(userId), setRead);
      saveFile(new Blob([csv], { type: "text/csv" }), `audit-${new Date().toISOString().slice(0, 10)}.csv`);
      say(isCut ? text.cut(MAX_CSV_ENTRIES) : text.saved(count));
    } catch (thrown) {
      sayFailed(text.csvFailed, thrown);
    } finally {
      setRead(null);
    }
  };
  return (
    <>
      <PageHead title={text.title} lead={text.lead}>
        <button type="button" class="btn" disabled={read !== null} onClick={save}>
          <Icon name="download" />
          <span aria-live="polite">{read === null ? text.csv : text.reading(read)}</span>
        </button>
      </PageHead>
      <Filters filter={filter} people={people} />
      <section class="card" aria-label={text.title}>
        <PagedList
          pages={pages}
          failed={text.failed}
          loading={text.loading}
          none={text.none}
          row={(entry) => <Entry key={entry.id} entry={entry} people={people} />}
        />
      </section>
    </>
  );
}
