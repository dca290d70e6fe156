import { useRef, useState } from "preact/hooks";
import { CAMERA, WALL } from "#texts/cameras.ts";
import { dataOf, type Location } from "../../../../client/src/index.ts";
import { cameraPartPath, HOME } from "../../../../src/platform/paths.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Choice, Form } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { recentLocationId } from "../platform/recent.ts";
import { navigate } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { organization } from "../platform/workspace.ts";
import { readDescribed } from "./described.ts";
import { readCameraPlaces } from "./read.ts";
import { newValues, readEntitlements, SettingFields, type SettingValues } from "./settings-fields.tsx";

async function readForm(organizationId: string, here: Location | undefined) {
  const [described, entitlements, locations] = await Promise.all([
    readDescribed(),
    readEntitlements(organizationId),
    here === undefined ? readCameraPlaces(organizationId) : [here],
  ]);
  return { described, entitlements, locations };
}

/**
 * The form for a new camera, at a given location, or at a location that the person chooses. At first, this is the
 * location that the person saw last.
 */
export function NewCamera({ location, onClose }: { location?: Location; onClose: () => void }) {
  const organizationId = location?.organizationId ?? organization.value?.id ?? "";
  const form = useLoaded(`${organizationId} ${location?.id}`, () => readForm(organizationId, location));
  const values = useRef<SettingValues | null>(null);
  const [chosen, setChosen] = useState(location?.id);
  const { data } = form;
  const atId = chosen ?? recentLocationId(data?.locations ?? []);
  const at = data?.locations.find(({ id }) => id === atId);
  return (
    <Dialog title={WALL.create} onClose={onClose}>
      {form.error !== undefined && <Alert title={CAMERA.settingsFailed} error={form.error} onRetry={form.reload} />}
      {data === undefined && form.error === undefined && <Waiting text={CAMERA.settingsLoading} />}
      {data?.locations.length === 0 && (
        <>
          <p>{CAMERA.noPlace}</p>
          <p class="row buttons">
            <Cancel onClose={onClose} />
            <a class="btn primary" href={HOME}>
              {CAMERA.toPlaces}
            </a>
          </p>
        </>
      )}
      {data !== undefined && data.locations.length > 0 && (
        <Form
          send={CAMERA.create}
          failed={CAMERA.createFailed}
          onSend={async (value) => {
            const locationId = at?.id ?? "";
            const { captureWindow, ...rest } =
              values.current ?? newValues(data.described, data.entitlements.maxRetentionDays);
            const body = {
              ...rest,
              captureWindow,
              name: value("name"),
              description: value("description"),
              timeZone: value("timeZone"),
            };
            const made = await dataOf(
              api.POST("/v1/spatial/locations/{locationId}/cameras", { params: { path: { locationId } }, body }),
            );
            onClose();
            navigate(cameraPartPath(locationId, made.id, "device"));
          }}
          beside={<Cancel onClose={onClose} />}
        >
          <SettingFields
            first={newValues(data.described, data.entitlements.maxRetentionDays)}
            described={data.described}
            entitlements={data.entitlements}
            measured={null}
            zone={at?.timeZone ?? undefined}
            place={
              location === undefined ? (
                <Choice
                  label={CAMERA.location}
                  name="location"
                  options={data.locations.map(({ id, name }) => ({ value: id, label: name }))}
                  value={at?.id ?? ""}
                  onChange={setChosen}
                />
              ) : null
            }
            onChange={(next) => {
              values.current = next;
            }}
          />
        </Form>
      )}
    </Dialog>
  );
}
