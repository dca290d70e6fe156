import { useEffect, useState } from "preact/hooks";
import { dateFormat, number } from "#texts/language.ts";
import { LOCATION } from "#texts/locations.ts";
import { dataOf, eachItem, type Page } from "../../../../client/src/index.ts";
import { annotationPath, cameraPath, documentPath, HOME, reportPath, tabPath } from "../../../../src/platform/paths.ts";
import { timeOf } from "../../../ui/format.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { byTrouble, CameraCard, now, stateOf, useWallCameras } from "../cameras/index.ts";
import type { TabProps } from "../platform/lazy.tsx";
import { collect, MAX_LISTED } from "../platform/listed.ts";
import { useFresh } from "../platform/live/index.ts";
import { api } from "../platform/session.ts";
import { PERSONAL } from "../platform/workspace.ts";
import { Plan } from "./map.tsx";

/** Maximum number of changes that are shown. */
const SHOWN_CHANGES = 8;
/** Maximum number of cameras whose latest pictures are shown. */
const SHOWN_CAMERAS = 4;
const MINUTE_MS = 60_000;

const collectPages = <T,>(readPage: (cursor: string | undefined) => Promise<Page<T>>) => collect(eachItem(readPage));

/** The contents of a location, of the kinds that the person may see. */
async function readContents({ id, capabilities }: TabProps["location"]) {
  const path = { locationId: id };
  const sees = (capability: keyof typeof capabilities) => (capabilities[capability] ?? "None") !== "None";
  const [documents, annotations, cameras, reports] = await Promise.all([
    sees("Documents")
      ? collectPages((cursor) =>
          dataOf(
            api.GET("/v1/spatial/locations/{locationId}/documents", {
              params: { path, query: { limit: 100, cursor } },
            }),
          ),
        )
      : null,
    sees("LocationBundles")
      ? collectPages((cursor) =>
          dataOf(
            api.GET("/v1/spatial/locations/{locationId}/annotations", {
              params: { path, query: { limit: 100, cursor } },
            }),
          ),
        )
      : null,
    sees("LocationCameras")
      ? collectPages((cursor) =>
          dataOf(
            api.GET("/v1/spatial/locations/{locationId}/cameras", { params: { path, query: { limit: 100, cursor } } }),
          ),
        )
      : null,
    sees("Reports")
      ? collectPages((cursor) =>
          dataOf(api.GET("/v1/reports/locations/{locationId}", { params: { path, query: { limit: 100, cursor } } })),
        )
      : null,
  ]);
  // A retired camera, and one that left, take no pictures here.
  const present = cameras?.flatMap((one) => (one.isHistorical || one.status === "retired" ? [] : [one])) ?? null;
  return { documents, annotations, cameras: present, reports };
}

/** The current time of day at a location. */
function LocalTime({ timeZone }: { timeZone: string | null }) {
  const [now, setNow] = useState(new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE_MS / 4);
    return () => clearInterval(timer);
  }, []);
  const zone = timeZone ?? "UTC";
  const time = dateFormat({ timeZone: zone, weekday: "short", hour: "2-digit", minute: "2-digit" });
  return (
    <>
      {time(now)} <span class="muted">({zone})</span>
    </>
  );
}

const counted = (all: readonly unknown[]): string =>
  all.length === MAX_LISTED ? `${number(MAX_LISTED)}+` : number(all.length);

interface Happening {
  at: string;
  icon: IconName;
  href: string;
  title: string;
  /** The words of the sentence before and after the link. */
  around: readonly [before: string, after: string];
}

/** What happened at a location, by its contents: one sentence for each. */
function happenings(locationId: string, data: Awaited<ReturnType<typeof readContents>> | undefined): Happening[] {
  const text = LOCATION.happened;
  return [
    ...(data?.documents ?? []).map((one) => ({
      at: one.updatedAtUtc,
      icon: "file" as const,
      href: documentPath(one.id),
      title: one.fileName,
      around: one.version === 1 ? text.document(one.createdByName ?? LOCATION.somebody) : text.version(one.version),
    })),
    ...(data?.annotations ?? []).map((one) => ({
      at: one.updatedAtUtc,
      icon: "note" as const,
      href: annotationPath(locationId, one.id),
      title: one.title,
      around: one.revision === 1 ? text.annotation() : text.annotationChanged(),
    })),
    ...(data?.reports ?? []).map((one) => ({
      at: one.updatedAtUtc,
      icon: "report" as const,
      href: reportPath(one.id),
      title: one.title,
      around: one.createdAtUtc === one.updatedAtUtc ? text.report() : text.reportChanged(),
    })),
    ...(data?.cameras ?? []).flatMap(({ id, name, silence }) =>
      silence === null
        ? []
        : [
            {
              at: silence.sinceUtc,
              icon: "camera" as const,
              href: cameraPath(id),
              title: name,
              around: text.silent(),
            },
          ],
    ),
  ];
}

/** The latest pictures of the cameras of a location, those with trouble first. */
function LatestPictures({ location }: TabProps) {
  const { data = [] } = useWallCameras({
    organizationId: location.organizationId ?? PERSONAL,
    locationId: location.id,
  });
  if (data.length === 0) return null;
  const shown = data
    .map((camera) => ({ camera, state: stateOf(camera, now.value) }))
    .sort(byTrouble)
    .slice(0, SHOWN_CAMERAS);
  return (
    <section class="card pad stack" aria-labelledby="latest-title">
      <div class="row wrap">
        <h2 class="grow" id="latest-title">
          {LOCATION.latest}
        </h2>
        {data.length > shown.length && (
          <a class="btn" href={tabPath(location.id, "cameras")}>
            {LOCATION.allCameras(data.length)}
          </a>
        )}
      </div>
      <ul class="wall">
        {shown.map(({ camera, state }) => (
          <CameraCard key={camera.id} camera={camera} state={state} />
        ))}
      </ul>
    </section>
  );
}

/** The facts of a location and its latest changes. */
export default function Overview({ location }: TabProps) {
  const text = LOCATION;
  const { id, latitude, longitude, timeZone } = location;
  const { data, error, slow, reload } = useLoaded(id, () => readContents(location));
  useFresh([id], reload);
  if (error !== undefined) return <Alert title={text.overviewFailed} error={error} onRetry={reload} />;
  const { documents = null, annotations = null, cameras = null, reports = null } = data ?? {};
  const counts = [
    ["cameras", cameras],
    ["documents", documents],
    ["reports", reports],
    ["annotations", annotations],
  ] as const;
  const changes = happenings(id, data)
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, SHOWN_CHANGES);
  const points = (annotations ?? []).flatMap(({ title, position }) =>
    position !== null && "latitude" in position ? [{ ...position, title }] : [],
  );
  return (
    <div class="overview">
      <div class="stack">
        {(location.capabilities.LocationCameras ?? "None") !== "None" && <LatestPictures location={location} />}
        <section class="card" aria-labelledby="lately-title">
          <h2 class="pad" id="lately-title">
            {text.lately}
          </h2>
          {slow && data === undefined && <Waiting text={text.loading} />}
          {data !== undefined && changes.length === 0 && <p class="pad quiet">{text.nothingLately}</p>}
          <ul class="list">
            {changes.map(({ at, icon, href, title, around: [before, after] }) => (
              <li key={href}>
                <Icon name={icon} />
                <span class="grow cutwords">
                  {before}
                  <a href={href}>{title}</a>
                  {after}
                </span>
                <time class="small quiet nums" dateTime={at}>
                  {timeOf(at)}
                </time>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <aside class="stack" aria-label={text.facts}>
        {latitude !== null && longitude !== null && (
          <figure class="card">
            <Plan middle={{ latitude, longitude }} points={points} />
            <figcaption class="pad small nums">
              {latitude.toFixed(4)}, {longitude.toFixed(4)}
              <br />
              <a href={`${HOME}?view=map&at=${latitude},${longitude},6`}>{LOCATION.onMap}</a>
            </figcaption>
          </figure>
        )}
        <dl class="card pad factlist small nums">
          <div>
            <dt>{text.localTime}</dt>
            <dd>
              <LocalTime timeZone={timeZone} />
            </dd>
          </div>
          {counts.map(
            ([kind, all]) =>
              all !== null && (
                <div key={kind}>
                  <dt>{text[kind]}</dt>
                  <dd>
                    <a href={tabPath(id, kind)}>{counted(all)}</a>
                  </dd>
                </div>
              ),
          )}
        </dl>
      </aside>
    </div>
  );
}
