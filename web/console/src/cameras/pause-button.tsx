import { useState } from "preact/hooks";
import { CAMERA } from "#texts/cameras.ts";
import { type Camera, dataOf } from "../../../../client/src/index.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Alert } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";

/** Pauses a camera or resumes it. */
export function PauseButton({ camera, onChange }: { camera: Camera; onChange: () => void }) {
  const [error, setError] = useState<unknown>(null);
  if (camera.status === "retired") return null;
  const toggle = () => {
    setError(null);
    const body = { baseRevision: camera.revision, isPaused: !camera.isPaused };
    dataOf(api.PATCH("/v1/cameras/{cameraId}", { params: { path: { cameraId: camera.id } }, body })).then(
      onChange,
      setError,
    );
  };
  return (
    <>
      <button type="button" class="btn" onClick={toggle}>
        <Icon name={camera.isPaused ? "play" : "pause"} />
        {camera.isPaused ? CAMERA.resume : CAMERA.pause}
      </button>
      {error !== null && <Alert title={CAMERA.pauseFailed} error={error} />}
    </>
  );
}
