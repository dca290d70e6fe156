import "./cameras.css";
import { useMemo, useRef, useState } from "preact/hooks";
import { SHARES } from "#texts/cameras.ts";
import {
  type CameraShare,
  type CreatedCameraShare,
  dataOf,
  type Location,
  type LocationCamera,
} from "../../../../client/src/index.ts";
import { tabPath } from "../../../../src/platform/paths.ts";
import { Clock } from "../../../archive/clock.ts";
import { fieldOf, momentOf } from "../../../archive/range.tsx";
import { Secret } from "../../../ui/copy.tsx";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Check, Field, Form } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { lazy } from "../platform/lazy.tsx";
import { api } from "../platform/session.ts";
import { readCamerasAt } from "./read.ts";

const QrCode = lazy(() => import("./qr-code.tsx"));

type Shareable = Pick<LocationCamera, "id" | "name" | "timeZone">;

/** The time zone of a location, or of its first camera: the times of its links are shown in it. */
export const zoneOf = ({ timeZone }: Location, cameras: readonly Shareable[]): string | undefined =>
  timeZone ?? cameras[0]?.timeZone;

function Moment(props: { name: string; label: string; value: string | null; help: string; clock: Clock }) {
  const { name, label, value, help, clock } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        type="datetime-local"
        name={name}
        defaultValue={value === null ? "" : fieldOf(clock, Date.parse(value))}
      />
      <span class="help">{help}</span>
    </label>
  );
}

/** The form of a new or an existing link. Its times are shown by the location's clock. */
export function ShareForm(props: {
  location: Location;
  cameras: readonly Shareable[];
  share: CameraShare | null;
  /** The cameras that a new link has at first. */
  chosen: readonly string[];
  onMade: (made: CreatedCameraShare) => void;
  onSaved: () => void;
  onClose: () => void;
}) {
  const { cameras, share, location } = props;
  const chosen = useRef(new Set(share?.cameraIds ?? props.chosen));
  const only = props.chosen.length === 1 ? cameras.find(({ id }) => id === props.chosen[0]) : undefined;
  const zone = zoneOf(location, cameras);
  const clock = useMemo(() => new Clock(zone), [zone]);
  const momentIn = (text: string): string | null => {
    const at = momentOf(clock, text);
    return at === null ? null : new Date(at).toISOString();
  };
  const terms = useRef({ hideMetadata: share?.hideMetadata ?? true, showGapCauses: share?.showGapCauses ?? true });
  const [isUnlocked, setUnlocked] = useState(false);
  return (
    <Dialog title={share === null ? SHARES.create : SHARES.edit(share.name)} onClose={props.onClose}>
      <Form
        send={share === null ? SHARES.create : SHARES.save}
        failed={share === null ? SHARES.createFailed : SHARES.saveFailed}
        onSend={async (value) => {
          const passcode = value("passcode");
          const body = {
            name: value("name"),
            cameraIds: cameras.map(({ id }) => id).filter((id) => chosen.current.has(id)),
            expiresAtUtc: momentIn(value("expires")),
            showFromUtc: momentIn(value("from")),
            showUntilUtc: momentIn(value("until")),
            ...terms.current,
            ...(passcode !== "" && { passcode }),
            ...(isUnlocked && { passcode: null }),
          };
          if (share === null) {
            const params = { path: { locationId: location.id } };
            props.onMade(await dataOf(api.POST("/v1/spatial/locations/{locationId}/camera-shares", { params, body })));
            return;
          }
          const change = { ...body, baseRevision: share.revision };
          await dataOf(api.PATCH("/v1/camera-shares/{id}", { params: { path: { id: share.id } }, body: change }));
          props.onSaved();
        }}
        beside={<Cancel onClose={props.onClose} />}
      >
        <Field
          label={SHARES.name}
          name="name"
          help={SHARES.nameHelp}
          required
          maxLength={200}
          defaultValue={share?.name ?? only?.name ?? location.name}
        />
        <fieldset class="stack">
          <legend class="label">{SHARES.cameras}</legend>
          {cameras.map(({ id, name }) => (
            <Check
              key={id}
              label={name}
              checked={chosen.current.has(id)}
              onChange={(isChosen) => {
                if (isChosen) chosen.current.add(id);
                else chosen.current.delete(id);
              }}
            />
          ))}
        </fieldset>
        <div class="two">
          <Moment
            name="from"
            label={SHARES.from}
            value={share?.showFromUtc ?? null}
            help={SHARES.timeHelp}
            clock={clock}
          />
          <Moment
            name="until"
            label={SHARES.until}
            value={share?.showUntilUtc ?? null}
            help={SHARES.timeHelp}
            clock={clock}
          />
        </div>
        <Moment
          name="expires"
          label={SHARES.expires}
          value={share?.expiresAtUtc ?? null}
          help={SHARES.expiresHelp}
          clock={clock}
        />
        <p class="help">{SHARES.clock(clock.timeZone)}</p>
        {!isUnlocked && (
          <Field
            label={SHARES.passcode}
            name="passcode"
            minLength={6}
            maxLength={64}
            autocomplete="off"
            help={share?.hasPasscode ? SHARES.passcodeKept : SHARES.passcodeHelp}
          />
        )}
        {share?.hasPasscode && <Check label={SHARES.passcodeRemove} checked={false} onChange={setUnlocked} />}
        <Check
          label={SHARES.hideMetadata}
          checked={terms.current.hideMetadata}
          onChange={(hideMetadata) => {
            terms.current.hideMetadata = hideMetadata;
          }}
        />
        <Check
          label={SHARES.showGapCauses}
          checked={terms.current.showGapCauses}
          onChange={(showGapCauses) => {
            terms.current.showGapCauses = showGapCauses;
          }}
        />
      </Form>
    </Dialog>
  );
}

/** A new link, which is shown once. `allLinks` is the path of the list of links, if it is on another page. */
export function MadeShare(props: { made: CreatedCameraShare; allLinks?: string; onClose: () => void }) {
  const { made, allLinks, onClose } = props;
  return (
    <Dialog title={SHARES.made} onClose={onClose}>
      <div class="pairing">
        <p>{SHARES.madeHelp}</p>
        <Secret
          text={made.url}
          label={SHARES.link}
          copy={SHARES.copy}
          done={SHARES.done}
          onDone={onClose}
          beside={
            allLinks !== undefined && (
              <a class="btn bare" href={allLinks}>
                {SHARES.all}
              </a>
            )
          }
        >
          <QrCode text={made.url} label={SHARES.qr} />
        </Secret>
      </div>
    </Dialog>
  );
}

/** Makes a link to one camera, or to more cameras of its location. */
export default function NewShare(props: { location: Location; cameraId: string; onClose: () => void }) {
  const { location, cameraId, onClose } = props;
  const cameras = useLoaded(location.id, () => readCamerasAt(location.id));
  const [made, setMade] = useState<CreatedCameraShare | null>(null);
  if (made !== null) return <MadeShare made={made} allLinks={tabPath(location.id, "cameras")} onClose={onClose} />;
  if (cameras.data !== undefined)
    return (
      <ShareForm
        location={location}
        cameras={cameras.data}
        share={null}
        chosen={[cameraId]}
        onMade={setMade}
        onSaved={onClose}
        onClose={onClose}
      />
    );
  return (
    <Dialog title={SHARES.create} onClose={onClose}>
      {cameras.error !== undefined && (
        <Alert title={SHARES.camerasFailed} error={cameras.error} onRetry={cameras.reload} />
      )}
      {cameras.slow && cameras.error === undefined && <Waiting text={SHARES.readingCameras} />}
    </Dialog>
  );
}
