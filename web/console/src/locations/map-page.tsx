import "./map.css";
import { useMemo, useRef, useState } from "preact/hooks";
import { byName } from "#texts/language.ts";
import { MAP } from "#texts/locations.ts";
import { dataOf, eachItem, type Location } from "../../../../client/src/index.ts";
import { locationPath } from "../../../../src/platform/paths.ts";
import { Chunks } from "../../../ui/chunks.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert } from "../../../ui/notice.tsx";
import { now, stateOf, useWallCameras } from "../cameras/index.ts";
import { collect } from "../platform/listed.ts";
import { unreadCount } from "../platform/live/index.ts";
import { address, navigate } from "../platform/router.ts";
import { api, session } from "../platform/session.ts";
import { organizationQuery } from "../platform/workspace.ts";
import { type MapView, project, textOf, viewOf, worldWidth } from "./projection.ts";
import { type Marked, WorldMap } from "./world-map.tsx";

/** A view of the map is written to the address after this pause, milliseconds. */
const PAUSE_MS = 150;

/** The numbers of unread notifications of the person, by location. */
async function readUnread(): Promise<ReadonlyMap<string, number>> {
  const unread = await collect(
    eachItem((cursor) =>
      dataOf(api.GET("/v1/notifications", { params: { query: { unreadOnly: "true", limit: 100, cursor } } })),
    ),
  );
  const counts = new Map<string, number>();
  for (const { origin } of unread)
    if (origin?.locationId != null) counts.set(origin.locationId, (counts.get(origin.locationId) ?? 0) + 1);
  return counts;
}

interface Placed extends Location {
  silent: number;
  /** Its state in words. */
  about: string;
}

/** The locations with their state: those with silent cameras first. */
function usePlaced(locations: readonly Location[]) {
  const cameras = useWallCameras({ organizationId: organizationQuery.value });
  const unread = useLoaded(`unread ${session.value?.user.id} ${unreadCount.value}`, readUnread);
  const placed = useMemo(() => {
    const byLocation = Map.groupBy(cameras.data ?? [], ({ locationId }) => locationId);
    return locations
      .map((location): Placed => {
        const all = byLocation.get(location.id) ?? [];
        const silent = all.filter((camera) => stateOf(camera, now.value).health === "silent").length;
        const notes = unread.data?.get(location.id) ?? 0;
        const parts = [
          silent > 0 && MAP.silent(silent),
          all.length > silent && MAP.cameras(all.length - silent),
          notes > 0 && MAP.unread(notes),
        ].filter((part) => part !== false);
        return { ...location, silent, about: parts.length === 0 ? MAP.calm : parts.join(" · ") };
      })
      .sort((a, b) => Number(b.silent > 0) - Number(a.silent > 0) || byName(a.name, b.name));
  }, [locations, cameras.data, unread.data, now.value]);
  return {
    placed,
    error: cameras.error ?? unread.error,
    retry: () => {
      cameras.reload();
      unread.reload();
    },
  };
}

const Row = ({ id, name, about, silent }: Placed) => (
  <a key={id} class="placelink" href={locationPath(id)}>
    <Icon name={silent > 0 ? "alert" : "pin"} />
    <span class="grow">
      <b class="strong">{name}</b>
      <span class={silent > 0 ? "small bad" : "small muted"}>{about}</span>
    </span>
  </a>
);

const space = (height: number) => <div style={{ height: `${height}px` }} />;

/**
 * All locations on a map of the world, and beside it a list of those that it shows.
 * @param most the number of locations that it shows at most
 */
export default function MapPage({ locations, most }: { locations: readonly Location[]; most: number }) {
  const shown = useMemo(() => locations.slice(0, most), [locations, most]);
  const { placed, error, retry } = usePlaced(shown);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [moving, setMoving] = useState<MapView | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const marks = useMemo(
    () =>
      placed.flatMap(({ id, name, latitude, longitude, silent, about }): Marked[] =>
        latitude === null || longitude === null
          ? []
          : [{ id, name, href: locationPath(id), ...project({ latitude, longitude }), isTrouble: silent > 0, about }],
      ),
    [placed],
  );
  const view = moving ?? viewOf(address.value.searchParams.get("at"));
  const change = (next: MapView) => {
    setMoving(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const here = new URL(address.peek());
      here.searchParams.set("at", textOf(next));
      navigate(here.href, { replace: true });
      setMoving(null);
    }, PAUSE_MS);
  };
  const inView = useMemo(() => {
    if (view === null || size.width === 0) return placed.filter(({ latitude }) => latitude !== null);
    const width = worldWidth(view.zoom);
    const near = new Set(
      marks
        .filter(
          ({ x, y }) => Math.abs(x - view.x) * width < size.width / 2 && Math.abs(y - view.y) * width < size.height / 2,
        )
        .map(({ id }) => id),
    );
    return placed.filter(({ id }) => near.has(id));
  }, [placed, marks, view?.x, view?.y, view?.zoom, size]);
  const unplaced = placed.filter(({ latitude, longitude }) => latitude === null || longitude === null);
  return (
    <>
      {error !== undefined && <Alert title={MAP.stateFailed} error={error} onRetry={retry} />}
      {locations.length > most && <p class="small muted">{MAP.first(most)}</p>}
      <div class="map-page">
        <WorldMap marks={marks} view={view} onView={change} onSize={setSize} />
        <nav class="card map-list" aria-label={MAP.list}>
          <p class="pad small muted" aria-live="polite">
            {inView.length === 0 ? MAP.none : MAP.shown(inView.length)}
          </p>
          <Chunks as="div" items={inView} row={Row} space={space} />
          {unplaced.length > 0 && (
            <details open={marks.length === 0}>
              <summary class="pad">
                {MAP.unplaced} <span class="count nums">{unplaced.length}</span>
              </summary>
              <p class="pad small muted">{MAP.unplacedHelp}</p>
              <Chunks as="div" items={unplaced} row={Row} space={space} />
            </details>
          )}
        </nav>
      </div>
    </>
  );
}
