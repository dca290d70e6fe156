import "./cameras.css";
import { useState } from "preact/hooks";
import { WALL } from "#texts/cameras.ts";
import type { LocationCamera } from "../../../../client/src/index.ts";
import { cameraAtPath, cameraPartPath } from "../../../../src/platform/paths.ts";
import { AddButton } from "../../../ui/buttons.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, CalmCard, Waiting } from "../../../ui/notice.tsx";
import type { TabProps } from "../platform/lazy.tsx";
import { address } from "../platform/router.ts";
import { PERSONAL } from "../platform/workspace.ts";
import { CameraParts } from "./camera.tsx";
import { CameraCard } from "./card.tsx";
import { now, useWallCameras } from "./live-list.ts";
import { NewCamera } from "./new-camera.tsx";
import { readCamerasAt } from "./read.ts";
import { Shares } from "./shares.tsx";
import { byTrouble, stateOf } from "./state.ts";

/** Cameras that no longer take pictures here. Their archives stay. */
function FormerCameras({ cameras }: { cameras: readonly LocationCamera[] }) {
  const former = cameras.filter((camera) => camera.isHistorical || camera.status === "retired");
  if (former.length === 0) return null;
  return (
    <section class="card" aria-labelledby="former">
      <h2 class="pad" id="former">
        {WALL.historical}
      </h2>
      <ul class="list">
        {former.map((camera) => (
          <li key={camera.id}>
            <a class="grow" href={cameraAtPath(camera.id, camera.locationId)}>
              {camera.name}
            </a>
            <span class="small muted">
              {camera.isHistorical ? WALL.historicalHelp(timeOf(camera.leftAtUtc)) : WALL.retired}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The cameras of a location: their cards, one of them with its parts, and the links to them. */
export default function CamerasTab({ location }: TabProps) {
  const [creating, setCreating] = useState(false);
  const cameras = useWallCameras({
    organizationId: location.organizationId ?? PERSONAL,
    locationId: location.id,
  });
  const all = useLoaded(location.id, () => readCamerasAt(location.id));
  const cameraId = address.value.searchParams.get("camera");
  const mayWrite = location.capabilities.LocationCameras === "Write";
  if (cameraId !== null)
    return <CameraParts key={cameraId} locationId={location.id} cameraId={cameraId} mayWrite={mayWrite} />;
  const shown = (cameras.data ?? []).map((camera) => ({ camera, state: stateOf(camera, now.value) })).sort(byTrouble);
  const create = <AddButton label={WALL.create} onPress={() => setCreating(true)} />;
  return (
    <>
      {cameras.error !== undefined && <Alert title={WALL.failed} error={cameras.error} onRetry={cameras.reload} />}
      {cameras.slow && cameras.data === undefined && <Waiting text={WALL.loading} />}
      {cameras.data?.length === 0 && (
        <CalmCard icon="camera" title={WALL.noneHere} help={mayWrite ? WALL.noneHelp : WALL.noneReadOnly}>
          {mayWrite && create}
        </CalmCard>
      )}
      {shown.length > 0 && mayWrite && <div class="row buttons">{create}</div>}
      <ul class="wall">
        {shown.map(({ camera, state }) => (
          <CameraCard key={camera.id} camera={camera} state={state}>
            <p>
              <a
                class="btn"
                aria-label={WALL.manage(camera.name)}
                href={cameraPartPath(location.id, camera.id, mayWrite ? "settings" : "device")}
              >
                <Icon name="gear" />
                {WALL.manageShort}
              </a>
            </p>
          </CameraCard>
        ))}
      </ul>
      {all.error !== undefined && <Alert title={WALL.historicalFailed} error={all.error} onRetry={all.reload} />}
      <FormerCameras cameras={all.data ?? []} />
      {all.data !== undefined && all.data.length > 0 && <Shares location={location} cameras={all.data} />}
      {creating && <NewCamera location={location} onClose={() => setCreating(false)} />}
    </>
  );
}
