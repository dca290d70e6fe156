import { useEffect, useRef } from "preact/hooks";
import { CAMERA } from "#texts/cameras.ts";
import { type Camera, dataOf } from "../../../../client/src/index.ts";
import { cameraPartPath, cameraPath, tabPath } from "../../../../src/platform/paths.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { useEvents, useSpaced } from "../platform/live/index.ts";
import { address } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { DevicePart } from "./device.tsx";
import { now } from "./live-list.ts";
import { PauseButton } from "./pause-button.tsx";
import { Review } from "./review.tsx";
import { SettingsPart } from "./settings-part.tsx";
import { stateOf } from "./state.ts";

/** Minimum time between two reads of a camera, milliseconds. */
const MIN_RELOAD_MS = 3_000;

type Part = keyof typeof CAMERA.tabs;
const PARTS = Object.keys(CAMERA.tabs) as Part[];

/** A camera of a location: its state, its device, its settings, and the pictures that need a decision. */
export function CameraParts({
  locationId,
  cameraId,
  mayWrite,
}: {
  locationId: string;
  cameraId: string;
  mayWrite: boolean;
}) {
  const camera = useLoaded(cameraId, () =>
    dataOf(api.GET("/v1/cameras/{cameraId}", { params: { path: { cameraId } } })),
  );
  const { data, reload } = camera;
  const wanted = address.value.searchParams.get("part");
  const parts = mayWrite ? PARTS : PARTS.filter((part) => part === "device");
  const part = parts.find((one) => one === wanted) ?? parts[0];
  const reloadSpaced = useSpaced(reload, MIN_RELOAD_MS);
  const isOld = useRef(false);
  const refresh = () => {
    // Settings that a person is changing are not replaced: the camera is read again when another part is shown.
    isOld.current = part === "settings";
    if (!isOld.current) reloadSpaced();
  };
  useEvents(["CapturePublished", "StateUpdated", "Stale"], [locationId], (event) => {
    if (event.kind === "Stale") return refresh();
    const about = event.kind === "CapturePublished" ? event.cameraId : event.subject.id;
    if (about === cameraId) refresh();
  });
  useEffect(() => {
    if (isOld.current) refresh();
  }, [part]);
  return (
    <section class="stack" aria-label={data?.name ?? CAMERA.loading}>
      <p class="small">
        <a class="backlink" href={tabPath(locationId, "cameras")}>
          {CAMERA.back}
        </a>
      </p>
      {camera.error !== undefined && <Alert title={CAMERA.failed} error={camera.error} onRetry={reload} />}
      {camera.slow && data === undefined && <Waiting text={CAMERA.loading} />}
      {data !== undefined && (
        <>
          <header class="page-head">
            <div class="grow">
              <h2>{data.name}</h2>
              <CameraStateLine camera={data} />
            </div>
            {mayWrite && <PauseButton camera={data} onChange={reload} />}
            <a class="btn" href={cameraPath(cameraId)}>
              <Icon name="image" />
              {CAMERA.archive}
            </a>
          </header>
          <Tabs
            label={CAMERA.parts}
            tabs={parts.map((one) => ({
              href: cameraPartPath(locationId, cameraId, one),
              label: CAMERA.tabs[one],
              isShown: one === part,
            }))}
          />
          {part === "settings" && <SettingsPart key={data.revision} camera={data} onChange={reload} />}
          {part === "device" && <DevicePart camera={data} mayWrite={mayWrite} onChange={reload} />}
          {part === "review" && <Review camera={data} />}
        </>
      )}
    </section>
  );
}

function CameraStateLine({ camera }: { camera: Camera }) {
  const { health, age, why } = stateOf(camera, now.value);
  return (
    <p class={`state ${health}`}>
      {age}
      {why !== null && ` · ${why}`}
    </p>
  );
}
