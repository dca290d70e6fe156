import { useRef } from "preact/hooks";
import { MOVE } from "#texts/cameras.ts";
import { type Camera, dataOf } from "../../../../client/src/index.ts";
import { cameraPartPath } from "../../../../src/platform/paths.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Check, Choice, Form } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, Waiting } from "../../../ui/notice.tsx";
import { navigate } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { readCameraPlaces } from "./read.ts";

/** Moves a camera to another location of its organization. Its device is paired again there. */
export function MoveCamera({ camera, onClose }: { camera: Camera; onClose: () => void }) {
  const { id: cameraId, name, organizationId, locationId: here, revision, device, isPaused } = camera;
  const places = useLoaded(`places ${organizationId}`, () => readCameraPlaces(organizationId));
  const others = places.data?.filter(({ id }) => id !== here);
  const cancelPending = useRef(false);
  const isReady = isPaused && (device?.queueCount ?? 0) === 0;
  return (
    <Dialog title={MOVE.title(name)} onClose={onClose}>
      {places.error !== undefined && <Alert title={MOVE.placesFailed} error={places.error} onRetry={places.reload} />}
      {places.slow && places.data === undefined && <Waiting text={MOVE.reading} />}
      {others?.length === 0 && <p>{MOVE.nowhere}</p>}
      {others !== undefined && others.length > 0 && (
        <Form
          send={MOVE.send}
          failed={MOVE.failed}
          onSend={async (value) => {
            const locationId = value("location");
            const body = { locationId, cancelPending: cancelPending.current, baseRevision: revision };
            await dataOf(api.POST("/v1/cameras/{cameraId}/relinks", { params: { path: { cameraId } }, body }));
            onClose();
            navigate(cameraPartPath(locationId, cameraId, "device"));
            say(MOVE.moved(others.find(({ id }) => id === locationId)?.name ?? ""));
          }}
          beside={<Cancel onClose={onClose} />}
        >
          <p>{MOVE.help}</p>
          {!isReady && <p class="strong">{MOVE.first}</p>}
          <Choice
            label={MOVE.to}
            name="location"
            options={others.map((place) => ({ value: place.id, label: place.name }))}
            value={others[0]?.id ?? ""}
          />
          <Check
            label={MOVE.cancelPending}
            checked={false}
            onChange={(on) => {
              cancelPending.current = on;
            }}
          />
        </Form>
      )}
    </Dialog>
  );
}
