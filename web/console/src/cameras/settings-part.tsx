import "./cameras.css";
import { useRef, useState } from "preact/hooks";
import { CAMERA } from "#texts/cameras.ts";
import { type Camera, dataOf } from "../../../../client/src/index.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, Waiting } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";
import { readDescribed } from "./described.ts";
import type { Measured } from "./forecast.ts";
import { readEntitlements, SettingFields, type SettingValues } from "./settings-fields.tsx";

/** Number of pictures from which the size of one is estimated. */
const MEASURED_PICTURES = 20;

async function measure({ id: cameraId, locationId }: Camera): Promise<Measured | null> {
  const { items } = await dataOf(
    api.GET("/v1/cameras/{cameraId}/captures", {
      params: { path: { cameraId }, query: { locationId, limit: MEASURED_PICTURES } },
    }),
  );
  if (items.length === 0) return null;
  return {
    bytes: items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    pixels: items.reduce((sum, { width, height }) => sum + width * height, 0),
  };
}

async function readForm(camera: Camera) {
  const [described, entitlements, measured] = await Promise.all([
    readDescribed(),
    readEntitlements(camera.organizationId),
    measure(camera),
  ]);
  return { described, entitlements, measured };
}

/** The settings of a camera, with a forecast of the storage that they need. */
export function SettingsPart({ camera, onChange }: { camera: Camera; onChange: () => void }) {
  const form = useLoaded(camera.id, () => readForm(camera));
  const values = useRef<SettingValues>(camera);
  const [reduction, setReduction] = useState<SettingValues | null>(null);
  const save = async (settings: SettingValues, confirmRetentionReduction: boolean) => {
    const { name, description, timeZone, captureWindow, captureIntervalMinutes, retentionDays } = settings;
    const { captureWidth, captureHeight, jpegQuality } = settings;
    const body = {
      ...{ name, description, timeZone, captureWindow, captureIntervalMinutes, retentionDays },
      ...{ captureWidth, captureHeight, jpegQuality },
      baseRevision: camera.revision,
      confirmRetentionReduction,
    };
    await dataOf(api.PATCH("/v1/cameras/{cameraId}", { params: { path: { cameraId: camera.id } }, body }));
    say(CAMERA.saved);
    onChange();
  };
  const { data } = form;
  return (
    <>
      {form.error !== undefined && <Alert title={CAMERA.settingsFailed} error={form.error} onRetry={form.reload} />}
      {form.slow && data === undefined && <Waiting text={CAMERA.settingsLoading} />}
      {data !== undefined && (
        <div class="card pad camera-settings">
          <Form
            send={CAMERA.save}
            failed={CAMERA.saveFailed}
            onSend={async (value) => {
              const settings = {
                ...values.current,
                name: value("name"),
                description: value("description"),
                timeZone: value("timeZone"),
              };
              if (settings.retentionDays < camera.retentionDays) setReduction(settings);
              else await save(settings, false);
            }}
          >
            <SettingFields
              first={camera}
              described={data.described}
              entitlements={data.entitlements}
              measured={data.measured}
              onChange={(next) => {
                values.current = next;
              }}
            />
          </Form>
        </div>
      )}
      {reduction !== null && (
        <Confirm
          title={CAMERA.reduceTitle}
          help={CAMERA.reduceHelp}
          send={CAMERA.reduce}
          failed={CAMERA.saveFailed}
          onSend={() => save(reduction, true)}
          onClose={() => setReduction(null)}
        />
      )}
    </>
  );
}
