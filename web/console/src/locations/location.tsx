import { useEffect, useState } from "preact/hooks";
import { LOCATION, LOCATIONS } from "#texts/locations.ts";
import { dataOf, type Location, ProblemError } from "../../../../client/src/index.ts";
import { HOME, tabPath } from "../../../../src/platform/paths.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { clockOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { useTitle } from "../../../ui/title.ts";
import { Gone } from "../platform/gone.tsx";
import { useEvents, useFresh } from "../platform/live/index.ts";
import { recent } from "../platform/recent.ts";
import { api } from "../platform/session.ts";
import { EditLocation } from "./edit.tsx";
import { MailButton } from "./mail.tsx";
import { removeLocation } from "./removal.ts";
import { TABS } from "./tabs.ts";

const readLocation = (locationId: string): Promise<Location> =>
  dataOf(api.GET("/v1/spatial/locations/{locationId}", { params: { path: { locationId } } }));

/** The name of the location's cluster. A guest of the location alone does not see it. */
function ClusterName({ clusterId }: { clusterId: string }) {
  const { data } = useLoaded(clusterId, () =>
    dataOf(api.GET("/v1/spatial/clusters/{clusterId}", { params: { path: { clusterId } } })),
  );
  return data === undefined ? null : <span class="muted"> › {data.name}</span>;
}

/** The page of a location that the person may not see, or no longer. */
function Closed({ title, help }: { title: string; help: string }) {
  return (
    <div class="page">
      <h1 class="sr">{LOCATIONS.title}</h1>
      <Gone title={title} help={help} />
    </div>
  );
}

/** A location: its head, and a tab. It closes when the person loses access to it. */
export function LocationPage({ locationId, tab }: { locationId: string; tab?: string | undefined }) {
  const text = LOCATION;
  const { data, error, slow, reload } = useLoaded(locationId, () => readLocation(locationId));
  useEffect(() => {
    recent.locationId = locationId;
  }, [locationId]);
  const shown = TABS.find(({ path }) => path === tab) ?? TABS[0];
  // The code of the tab is fetched while the location is read.
  useEffect(() => shown?.View.begin(), [shown]);
  const [asking, setAsking] = useState<"edit" | "remove" | null>(null);
  const [revoked, setRevoked] = useState<Date | null>(null);
  useTitle((revoked === null ? data?.name : undefined) ?? LOCATIONS.title);
  useEvents(["SubscriptionRevoked"], [locationId], () => setRevoked(new Date()));
  useFresh([locationId], reload, (event) => event.kind === "StateUpdated" && event.subject.type === "location");
  if (revoked !== null) return <Closed title={text.revoked(data?.name)} help={text.revokedHelp(clockOf(revoked))} />;
  if (error instanceof ProblemError && error.status === 404) return <Closed title={text.gone} help={text.goneHelp} />;
  return (
    <div class="page">
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data && (
        <>
          <header class="page-head">
            <div class="grow">
              <p class="small">
                <a class="backlink" href={HOME}>
                  {text.back}
                </a>
                <ClusterName clusterId={data.clusterId} />
              </p>
              <h1>{data.name}</h1>
              {data.address && <p>{data.address}</p>}
              {data.description !== "" && <p class="small muted">{data.description}</p>}
            </div>
            {data.capabilities.LocationView === "Write" && (
              <div class="row wrap">
                {data.capabilities.Documents === "Write" && <MailButton key={locationId} location={data} />}
                <button type="button" class="btn" onClick={() => setAsking("edit")}>
                  {text.edit}
                </button>
                <button type="button" class="btn" onClick={() => setAsking("remove")}>
                  <Icon name="trash" />
                  {text.remove}
                </button>
              </div>
            )}
          </header>
          <Tabs
            label={text.tabs}
            tabs={TABS.map(({ path, label }) => ({
              href: tabPath(locationId, path),
              label,
              isShown: path === shown?.path,
            }))}
          />
          {shown && <shown.View location={data} />}
          {asking === "edit" && (
            <EditLocation
              location={data}
              onClose={(changed) => {
                setAsking(null);
                if (changed) reload();
              }}
            />
          )}
          {asking === "remove" && (
            <Confirm
              title={text.removeTitle}
              help={text.removeHelp(data.name)}
              send={text.remove}
              failed={text.removeFailed}
              onSend={() => removeLocation(data)}
              onClose={() => setAsking(null)}
            />
          )}
        </>
      )}
    </div>
  );
}
