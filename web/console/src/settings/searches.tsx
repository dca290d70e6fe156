import { COMMON } from "#texts/common.ts";
import { decimal, number } from "#texts/language.ts";
import { SEARCHES } from "#texts/settings.ts";
import { dataOf, type SearchInsights } from "../../../../client/src/index.ts";
import { searchPath, settingsPath } from "../../../../src/platform/paths.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { address } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { organization } from "../platform/workspace.ts";

const DAY_MS = 86_400_000;
const PERIODS = [7, 30, 90] as const;
const DEFAULT_DAYS = 30;

type ListName = keyof typeof SEARCHES.lists;
const LISTS = Object.keys(SEARCHES.lists) as ListName[];
function Terms({ name, items }: { name: ListName; items: SearchInsights[ListName] }) {
  const text = SEARCHES;
  const { title, help } = text.lists[name];
  return (
    <section class="card" aria-labelledby={name}>
      <div class="list-head">
        <h2 id={name}>{title}</h2>
        <p class="small muted">{help}</p>
      </div>
      {items.length === 0 ? (
        <p class="list-foot quiet">{text.none}</p>
      ) : (
        <ul class="list">
          {items.map(({ term, searches, clicks }) => (
            <li key={term}>
              <a class="grow" href={searchPath(term)}>
                {term}
              </a>
              <span class="small muted nums">
                {COMMON.named(text.columns.searches, number(searches))}
                {name === "mostFrequent" && ` · ${COMMON.named(text.columns.clicks, number(clicks))}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The searches of the organization's people in a period. The address contains the period. */
export function SearchesPart() {
  const text = SEARCHES;
  const organizationId = organization.value?.id ?? "";
  const asked = Number(address.value.searchParams.get("days"));
  const days = PERIODS.find((period) => period === asked) ?? DEFAULT_DAYS;
  const { data, error, slow, reload } = useLoaded(`searches ${organizationId} ${days}`, () => {
    const fromUtc = new Date(Date.now() - days * DAY_MS).toISOString();
    return dataOf(api.GET("/v1/search/insights", { params: { query: { organizationId, fromUtc } } }));
  });
  return (
    <>
      <PageHead title={text.title} lead={text.lead}>
        <nav class="row" aria-label={text.period}>
          {PERIODS.map((period) => (
            <a
              key={period}
              class="btn"
              href={`${settingsPath("searches")}?days=${period}`}
              aria-current={period === days ? "true" : undefined}
            >
              {text.days(period)}
            </a>
          ))}
        </nav>
      </PageHead>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data && (
        <>
          <p class="nums">
            {text.total(data.searches, data.clicks)}{" "}
            {data.meanClickRank !== null && text.rank(decimal(data.meanClickRank, 1))}
          </p>
          {LISTS.map((name) => (
            <Terms key={name} name={name} items={data[name]} />
          ))}
        </>
      )}
    </>
  );
}
