import { byName } from "#texts/language.ts";
import "./cameras.css";
import { useState } from "preact/hooks";
import { WALL } from "#texts/cameras.ts";
import { CAMERAS } from "../../../../src/platform/paths.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Alert, CalmCard, Waiting } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { address, navigate } from "../platform/router.ts";
import { organization, organizationQuery } from "../platform/workspace.ts";
import { CameraCard } from "./card.tsx";
import { now, useWallCameras } from "./live-list.ts";
import { NewCamera } from "./new-camera.tsx";
import { NoCameras } from "./no-cameras.tsx";
import { byTrouble, isTrouble, type ShownCamera, stateOf } from "./state.ts";

const TROUBLE = "trouble";
type Sort = keyof typeof WALL.sorts;
const isSort = (text: string): text is Sort => text in WALL.sorts;

const SORTS: Record<Sort, (a: ShownCamera, b: ShownCamera) => number> = {
  trouble: byTrouble,
  place: (a, b) => byName(a.camera.locationName, b.camera.locationName) || byName(a.camera.name, b.camera.name),
  name: (a, b) => byName(a.camera.name, b.camera.name),
};

/** Changes one field of the wall's address. An empty value leaves the field out. */
function choose(name: "show" | "sort", value: string): void {
  const next = new URL(address.peek());
  if (value === "") next.searchParams.delete(name);
  else next.searchParams.set(name, value);
  navigate(next.href, { replace: true });
}

function Filters({ all, show, sort }: { all: readonly ShownCamera[]; show: string; sort: Sort }) {
  const places = Map.groupBy(all, ({ camera }) => camera.locationId);
  const filters = [
    { value: "", label: WALL.all, count: all.length },
    { value: TROUBLE, label: WALL.onlyTrouble, count: all.filter(({ state }) => isTrouble(state)).length },
    ...[...places].map(([value, some]) => ({ value, label: some[0]?.camera.locationName ?? "", count: some.length })),
  ];
  return (
    <div class="row wrap wall-tools">
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that filter are no fields of a form */}
      <div class="filters grow" role="group" aria-label={WALL.filters}>
        {filters.map(({ value, label, count }) => (
          <button
            key={value}
            type="button"
            class="chip"
            aria-pressed={show === value}
            onClick={() => choose("show", value)}
          >
            {label} <span class="count">{count}</span>
          </button>
        ))}
      </div>
      <label class="row">
        <span class="small muted">{WALL.sort}</span>
        <select class="input" onChange={(event) => choose("sort", event.currentTarget.value)}>
          {Object.entries(WALL.sorts).map(([value, label]) => (
            <option key={value} value={value} selected={value === sort}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** All cameras of the organization: their latest pictures with their age. Cameras with faults come first. */
export default function WallPage() {
  useTitle(WALL.title);
  const [creating, setCreating] = useState(false);
  const cameras = useWallCameras({ organizationId: organizationQuery.value });
  const { searchParams } = address.value;
  const show = searchParams.get("show") ?? "";
  const wanted = searchParams.get("sort") ?? TROUBLE;
  const sort = isSort(wanted) ? wanted : TROUBLE;
  const all = (cameras.data ?? []).map((camera) => ({ camera, state: stateOf(camera, now.value) }));
  const shown = all
    .filter(({ camera, state }) => show === "" || (show === TROUBLE ? isTrouble(state) : camera.locationId === show))
    .sort(SORTS[sort]);
  const places = new Set(all.map(({ camera }) => camera.locationId)).size;
  const count = (kind: ShownCamera["state"]["kind"]) => all.filter(({ state }) => state.kind === kind).length;
  const mayCreate = organization.value?.capabilities.LocationCameras === "Write";
  const create = (
    <button type="button" class="btn primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {WALL.create}
    </button>
  );
  return (
    <>
      <div class="page wide">
        <header class="page-head">
          <div class="grow">
            <h1>{WALL.title}</h1>
            <p aria-live="polite">{all.length > 0 && `${WALL.summary(all.length, places)} ${WALL.trouble(count)}`}</p>
          </div>
          {all.length > 0 && mayCreate && create}
        </header>
        {cameras.error !== undefined && <Alert title={WALL.failed} error={cameras.error} onRetry={cameras.reload} />}
        {cameras.slow && cameras.data === undefined && <Waiting text={WALL.loading} />}
        {all.length > 0 && <Filters all={all} show={show} sort={sort} />}
        {cameras.data?.length === 0 && <NoCameras create={mayCreate ? create : null} />}
        {all.length > 0 && shown.length === 0 && (
          <CalmCard icon="camera" title={WALL.nothing} help={WALL.nothingHelp}>
            <a class="btn" href={CAMERAS}>
              {WALL.showAll}
            </a>
          </CalmCard>
        )}
        <ul class="wall">
          {shown.map(({ camera, state }) => (
            <CameraCard key={camera.id} camera={camera} state={state} place={camera.locationName} />
          ))}
        </ul>
      </div>
      {creating && <NewCamera onClose={() => setCreating(false)} />}
    </>
  );
}
