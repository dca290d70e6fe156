import { CAMERA_ARCHIVE } from "#texts/camera-archive.ts";
import { dataOf } from "../../../../client/src/index.ts";
import { cameraPartPath } from "../../../../src/platform/paths.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { DeviceFacts, PauseButton, SettingsPart } from "../cameras/index.ts";
import { useEvents } from "../platform/live/index.ts";
import { api } from "../platform/session.ts";

/** Beside the picture: what the camera reports now, and its settings with a forecast of their storage. */
export default function CameraPanel(props: { cameraId: string; locationId: string; mayWrite: boolean }) {
  const { cameraId, locationId, mayWrite } = props;
  const text = CAMERA_ARCHIVE;
  const { data, error, slow, reload } = useLoaded(`camera ${cameraId}`, () =>
    dataOf(api.GET("/v1/cameras/{cameraId}", { params: { path: { cameraId } } })),
  );
  useEvents(["StateUpdated", "Stale"], [locationId], (event) => {
    if (event.kind === "Stale" || event.subject.id === cameraId) reload();
  });
  return (
    <>
      <h2>{text.cameraNow}</h2>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data !== undefined && (
        <>
          <DeviceFacts camera={data} />
          <p class="row wrap">
            {mayWrite && <PauseButton camera={data} onChange={reload} />}
            <a href={cameraPartPath(locationId, cameraId, "device")}>{text.more}</a>
          </p>
          {mayWrite && data.status !== "retired" && (
            <>
              <h2>{text.settings}</h2>
              <SettingsPart key={data.revision} camera={data} onChange={reload} />
            </>
          )}
        </>
      )}
    </>
  );
}
