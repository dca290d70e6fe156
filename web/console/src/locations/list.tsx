import "./locations.css";
import { useState } from "preact/hooks";
import { EDIT_LOCATION, LOCATIONS, MAP, NEW_LOCATION } from "#texts/locations.ts";
import { type Cluster, dataOf, eachItem, type Location } from "../../../../client/src/index.ts";
import { clusterPath, HOME, locationPath, TRASH, tabPath } from "../../../../src/platform/paths.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, CalmCard, Waiting } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { ownZone, ZoneChoice } from "../../../ui/zone-choice.tsx";
import { lazy } from "../platform/lazy.tsx";
import { collect } from "../platform/listed.ts";
import { address, navigate } from "../platform/router.ts";
import { api, session } from "../platform/session.ts";
import { organization, organizationName, organizationQuery } from "../platform/workspace.ts";
import { readBeginning, remember } from "./beginning.ts";

/** The places of an organization, and its first steps with their code if they are not over. */
async function readPage(organizationId: string, isMap: boolean) {
  const [places, read] = await Promise.all([
    // One more tells whether the map leaves some out.
    readPlaces(organizationId, isMap ? MAX_MARKS + 1 : undefined),
    readBeginning(organization.peek()),
  ]);
  const isOver = read?.documents === true && read.people && read.camera && places.locations.length > 0;
  if (read !== null && isOver) remember(read.organization.id, true);
  const beginning = isOver ? null : read;
  const FirstSteps = beginning === null ? null : (await import("./first-steps.tsx")).FirstSteps;
  return { ...places, beginning, FirstSteps };
}

/** Maximum number of locations on the map. */
const MAX_MARKS = 5_000;

async function readPlaces(
  organizationId: string,
  most?: number,
): Promise<{ clusters: Cluster[]; locations: Location[] }> {
  const query = (cursor: string | undefined) => ({ params: { query: { organizationId, limit: 100, cursor } } });
  const [clusters, locations] = await Promise.all([
    collect(eachItem((cursor) => dataOf(api.GET("/v1/spatial/clusters", query(cursor))))),
    collect(
      eachItem((cursor) => dataOf(api.GET("/v1/spatial/locations", query(cursor)))),
      most,
    ),
  ]);
  return { clusters, locations };
}

const SharedFiles = lazy<{ locations: readonly Location[] }>(() => import("./shared-files.tsx"));
const MapPage = lazy<{ locations: readonly Location[]; most: number }>(() => import("./map-page.tsx"));

const mayCreateLocation = ({ capabilities }: Cluster): boolean => capabilities.LocationView === "Write";
/** In their personal workspace, every person may create clusters. */
const mayCreateCluster = (): boolean =>
  organization.value === null || organization.value.capabilities.ClusterView === "Write";

const NEW = "new";

function CreateLocation({ clusters, onClose }: { clusters: Cluster[]; onClose: () => void }) {
  const text = NEW_LOCATION;
  const [cluster, setCluster] = useState(clusters[0]?.id ?? NEW);
  return (
    <Dialog title={text.title} onClose={onClose}>
      <Form
        send={text.send}
        failed={text.failed}
        onSend={async (value) => {
          const organizationId = organization.value?.id ?? null;
          const clusterId =
            cluster === NEW
              ? (
                  await dataOf(
                    api.POST("/v1/spatial/clusters", { body: { organizationId, name: value("clusterName") } }),
                  )
                ).id
              : cluster;
          setCluster(clusterId);
          const address = value("address").trim();
          const body = {
            clusterId,
            name: value("name"),
            timeZone: value("timeZone"),
            ...(address !== "" && { address }),
          };
          const made = await dataOf(api.POST("/v1/spatial/locations", { body }));
          onClose();
          navigate(tabPath(made.id, "documents"));
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field label={text.name} name="name" required maxLength={200} autofocus />
        <Field label={text.address} name="address" maxLength={500} />
        <ZoneChoice name="timeZone" value={ownZone()} help={EDIT_LOCATION.timeZoneHelp} />
        {clusters.length > 0 && (
          <label class="field">
            <span>{text.cluster}</span>
            <select class="input" value={cluster} onChange={(event) => setCluster(event.currentTarget.value)}>
              {clusters.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
              {mayCreateCluster() && <option value={NEW}>{text.newCluster}</option>}
            </select>
          </label>
        )}
        {cluster === NEW && (
          <Field label={text.clusterName} name="clusterName" help={text.clusterHelp} required maxLength={200} />
        )}
      </Form>
    </Dialog>
  );
}

function ClusterCard({ cluster, locations }: { cluster: Cluster; locations: Location[] }) {
  return (
    <section class="card cluster" id={cluster.id} aria-labelledby={`name-${cluster.id}`}>
      <h2 id={`name-${cluster.id}`}>
        <a href={clusterPath(cluster.id)}>{cluster.name}</a>
      </h2>
      {cluster.description !== "" && <p class="small muted">{cluster.description}</p>}
      {locations.length === 0 ? (
        <p class="quiet empty">{LOCATIONS.emptyCluster}</p>
      ) : (
        <ul class="list">
          {locations.map(({ id, name, address }) => (
            <li key={id}>
              <a class="placelink" href={locationPath(id)}>
                <Icon name="pin" />
                <span class="grow">
                  <b class="strong">{name}</b>
                  {address !== null && address !== "" && <span class="small muted cut">{address}</span>}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The clusters and locations of the chosen organization. */
export function LocationsPage() {
  const text = LOCATIONS;
  useTitle(text.title);
  const [creating, setCreating] = useState(false);
  const isMap = address.value.searchParams.get("view") === "map";
  const places = useLoaded(`${session.value?.user.id} ${organizationQuery.value} ${isMap}`, () =>
    readPage(organizationQuery.peek(), isMap),
  );
  const { clusters = [], locations = [], beginning = null, FirstSteps = null } = places.data ?? {};
  const open = clusters.filter(mayCreateLocation);
  const mayCreate = places.data !== undefined && (open.length > 0 || mayCreateCluster());
  const create = (
    <button type="button" class={beginning === null ? "btn primary" : "btn"} onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {text.create}
    </button>
  );
  const byCluster = Map.groupBy(locations, ({ clusterId }) => clusterId);
  const name = organizationName.value;
  return (
    <>
      <div class={isMap ? "page wide" : "page"}>
        <header class="page-head">
          <div class="grow">
            <h1>{text.title}</h1>
            <p>
              {name}
              {clusters.length > 0 && ` · ${text.count(locations.length, clusters.length)}`}
            </p>
          </div>
          <nav class="row" aria-label={MAP.forms}>
            <a class="btn" href={HOME} aria-current={isMap ? undefined : "page"}>
              <Icon name="list" />
              {MAP.asList}
            </a>
            <a class="btn" href={`${HOME}?view=map`} aria-current={isMap ? "page" : undefined}>
              <Icon name="pin" />
              {MAP.asMap}
            </a>
          </nav>
          <a class="btn" href={TRASH}>
            <Icon name="trash" />
            {text.trash}
          </a>
          {clusters.length > 0 && mayCreate && create}
        </header>
        {places.error !== undefined && <Alert title={text.failed} error={places.error} onRetry={places.reload} />}
        {places.slow && places.data === undefined && <Waiting text={text.loading} />}
        {!isMap && beginning !== null && FirstSteps !== null && (
          <FirstSteps
            key={beginning.organization.id}
            beginning={beginning}
            locations={locations}
            onPlace={() => setCreating(true)}
            onChange={places.reload}
          />
        )}
        {places.data !== undefined && beginning === null && clusters.length === 0 && (
          <CalmCard icon="pin" title={text.none(name)} help={mayCreate ? text.noneHelp : text.noneReadOnly}>
            {mayCreate && create}
          </CalmCard>
        )}
        {isMap && locations.length > 0 && <MapPage locations={locations} most={MAX_MARKS} />}
        {!isMap && (
          <div class="clusters">
            {clusters.map((cluster) => (
              <ClusterCard key={cluster.id} cluster={cluster} locations={byCluster.get(cluster.id) ?? []} />
            ))}
          </div>
        )}
      </div>
      {places.data !== undefined && address.value.searchParams.get("shared") === "files" && (
        <SharedFiles locations={locations} />
      )}
      {creating && <CreateLocation clusters={open} onClose={() => setCreating(false)} />}
    </>
  );
}
