import "./cameras.css";
import "./wall.css";
import { useState } from "preact/hooks";
import { WALL } from "#texts/cameras.ts";
import { CAMERAS, tabPath } from "../../../../src/platform/paths.ts";
import { AddButton } from "../../../ui/buttons.tsx";
import { Alert, CalmCard, Waiting } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { organization, organizationQuery } from "../platform/workspace.ts";
import { CameraCard } from "./card.tsx";
import { type Fallen, FallenLine, useFallen } from "./fallen.tsx";
import { now, useWallCameras } from "./live-list.ts";
import { NewCamera } from "./new-camera.tsx";
import { NoCameras } from "./no-cameras.tsx";
import { Room } from "./room.tsx";
import { type ShownCamera, stateOf } from "./state.ts";
import { type Group, groupsOf, shownBy, wallFields } from "./wall-address.ts";
import { WallTools } from "./wall-tools.tsx";

/** The cards of a group, under the name of its location if there are groups. */
function Cards({
  group: { locationId, name, cameras },
  columns,
  fallen,
}: {
  group: Group;
  columns: number | null;
  fallen: Fallen;
}) {
  const cards = (
    <ul class="wall" style={columns === null ? {} : { "--columns": String(columns) }}>
      {cameras.map(({ camera, state }) => (
        <CameraCard
          key={camera.id}
          camera={camera}
          state={state}
          isMarked={fallen.ids.has(camera.id)}
          {...(name === null && { place: camera.locationName })}
        />
      ))}
    </ul>
  );
  if (locationId === null) return cards;
  return (
    <section class="stack" aria-labelledby={`at-${locationId}`}>
      <h2 id={`at-${locationId}`}>
        <a href={tabPath(locationId, "cameras")}>{name}</a> <span class="count">{cameras.length}</span>
      </h2>
      {cards}
    </section>
  );
}

/** All cameras of the organization: their latest pictures with their age. Cameras with faults come first. */
export default function WallPage() {
  useTitle(WALL.title);
  const [creating, setCreating] = useState(false);
  const cameras = useWallCameras({ organizationId: organizationQuery.value });
  const fields = wallFields();
  const all = (cameras.data ?? []).map((camera) => ({ camera, state: stateOf(camera, now.value) }));
  const fallen = useFallen(all);
  if (fields.isRoom && all.length > 0) return <Room all={all} fields={fields} fallen={fallen} />;
  const shown = shownBy(fields, all);
  const places = new Set(all.map(({ camera }) => camera.locationId)).size;
  const count = (kind: ShownCamera["state"]["kind"]) => all.filter(({ state }) => state.kind === kind).length;
  const mayCreate = organization.value?.capabilities.LocationCameras === "Write";
  const create = <AddButton label={WALL.create} onPress={() => setCreating(true)} />;
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
        <FallenLine fallen={fallen} all={all} />
        {all.length > 0 && <WallTools all={all} fields={fields} />}
        {cameras.data?.length === 0 && <NoCameras create={mayCreate ? create : null} />}
        {all.length > 0 && shown.length === 0 && (
          <CalmCard icon="camera" title={WALL.nothing} help={WALL.nothingHelp}>
            <a class="btn" href={CAMERAS}>
              {WALL.showAll}
            </a>
          </CalmCard>
        )}
        {shown.length > 0 &&
          groupsOf(shown, fields.isGrouped).map((group) => (
            <Cards key={group.locationId} group={group} columns={fields.columns} fallen={fallen} />
          ))}
      </div>
      {creating && <NewCamera onClose={() => setCreating(false)} />}
    </>
  );
}
