import { useEffect, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { REPORTS } from "#texts/reports.ts";
import { TEMPLATES as TEMPLATE_TEXTS } from "#texts/templates.ts";
import type { Location } from "../../../../client/src/index.ts";
import { HOME, TEMPLATES } from "../../../../src/platform/paths.ts";
import { AddButton } from "../../../ui/buttons.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, CalmCard, Waiting } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import type { TabProps } from "../platform/lazy.tsx";
import { useFresh } from "../platform/live/index.ts";
import { organizationName, organizationQuery } from "../platform/workspace.ts";
import { CreateReport } from "./create.tsx";
import { ReportTable } from "./list.tsx";
import { readPlaces, readReports, readReportsOf } from "./read.ts";

function CreateButton({ locations }: { locations: readonly Location[] }) {
  const [creating, setCreating] = useState(false);
  if (locations.length === 0) return null;
  return (
    <>
      <AddButton label={REPORTS.create} onPress={() => setCreating(true)} />
      {creating && <CreateReport locations={locations} onClose={() => setCreating(false)} />}
    </>
  );
}

function NoReports({ writable }: { writable: boolean }) {
  return <CalmCard icon="report" title={REPORTS.none} help={writable ? REPORTS.noneHelp : REPORTS.noneReadOnly} />;
}

/** For a workspace without a location: a report needs one. */
function NoPlaces() {
  return (
    <CalmCard icon="report" title={REPORTS.none} help={REPORTS.noPlaces}>
      <a class="btn" href={HOME}>
        {COMMON.toLocations}
      </a>
    </CalmCard>
  );
}

/** Maximum number of locations that the list listens to. A connection of the hub can join 200. */
const MAX_LIVE_PLACES = 150;

/** Reads again when a report of these locations changed, and when the person returns to the page. */
function useFreshReports(places: readonly string[], reload: () => void): void {
  const listened = places.slice(0, MAX_LIVE_PLACES);
  useFresh(listened, reload, (event) => event.kind === "StateUpdated" && event.subject.type === "report");
  const hasMore = places.length > MAX_LIVE_PLACES;
  useEffect(() => {
    if (!hasMore) return;
    const look = () => document.visibilityState === "visible" && reload();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [hasMore]);
}

/** The reports of all locations of the chosen organization. */
export function ReportsPage() {
  useTitle(REPORTS.title);
  const workspace = organizationQuery.value;
  const { data, error, slow, reload } = useLoaded(workspace, async () => {
    const [reports, places] = await Promise.all([readReports(workspace), readPlaces(workspace)]);
    return { reports, places };
  });
  const places = data?.places ?? [];
  const writable = places.filter(({ capabilities }) => capabilities.Reports === "Write");
  const writableIds = new Set(writable.map(({ id }) => id));
  useFreshReports(
    places.map(({ id }) => id),
    reload,
  );
  return (
    <div class="page">
      <header class="page-head">
        <div class="grow">
          <h1>{REPORTS.title}</h1>
          <p>
            {organizationName.value}
            {data !== undefined && data.reports.length > 0 && ` · ${REPORTS.count(data.reports.length)}`}
          </p>
        </div>
        <a class="btn" href={TEMPLATES}>
          {TEMPLATE_TEXTS.link}
        </a>
        <CreateButton locations={writable} />
      </header>
      {error !== undefined && <Alert title={REPORTS.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={REPORTS.loading} />}
      {data !== undefined && data.reports.length === 0 && places.length === 0 && <NoPlaces />}
      {data !== undefined && data.reports.length === 0 && places.length > 0 && (
        <NoReports writable={writable.length > 0} />
      )}
      {data !== undefined && data.reports.length > 0 && (
        <ReportTable reports={data.reports} placed mayWrite={(id) => writableIds.has(id)} reload={reload} />
      )}
    </div>
  );
}

/** The reports of a location. */
export function ReportsTab({ location }: TabProps) {
  const writable = location.capabilities.Reports === "Write";
  const { data, error, slow, reload } = useLoaded(location.id, () => readReportsOf(location.id));
  useFreshReports([location.id], reload);
  return (
    <section class="stack" aria-labelledby="reports-title">
      <header class="row">
        <h2 id="reports-title" class="grow">
          {REPORTS.title}
        </h2>
        <CreateButton locations={writable ? [location] : []} />
      </header>
      {error !== undefined && <Alert title={REPORTS.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={REPORTS.loading} />}
      {data !== undefined && data.length === 0 && <NoReports writable={writable} />}
      {data !== undefined && data.length > 0 && (
        <ReportTable reports={data} placed={false} mayWrite={() => writable} reload={reload} />
      )}
    </section>
  );
}
