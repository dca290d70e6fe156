import { useRef, useState } from "preact/hooks";
import { type CameraShare, type CreatedCameraShare, dataOf, type Location } from "../../../../client/src/index.ts";
import { SHARES } from "../../../texts/cameras.ts";
import { CopyButton } from "../../../ui/copy.tsx";
import { Cancel, Confirm, Dialog } from "../../../ui/dialog.tsx";
import { Check, Field, Form } from "../../../ui/form.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, Waiting } from "../../../ui/notice.tsx";
import { lazy } from "../lazy.tsx";
import { api } from "../session.ts";

const QrCode = lazy(() => import("./qr-code.tsx"));

export interface Shareable {
  id: string;
  name: string;
}

/** A moment in the format of a form's field, in the person's time zone. */
function toField(utc: string | null): string {
  if (utc === null) return "";
  const at = new Date(utc);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
const fromField = (text: string): string | null => (text === "" ? null : new Date(text).toISOString());

function Moment(props: { name: string; label: string; value: string | null; help: string }) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <input class="input" type="datetime-local" name={props.name} defaultValue={toField(props.value)} />
      <span class="help">{props.help}</span>
    </label>
  );
}

/** The form of a new or an existing link. */
function ShareForm(props: {
  location: Location;
  cameras: readonly Shareable[];
  share: CameraShare | null;
  onMade: (made: CreatedCameraShare) => void;
  onSaved: () => void;
  onClose: () => void;
}) {
  const { cameras, share, location } = props;
  const chosen = useRef(new Set(share?.cameraIds ?? cameras.map(({ id }) => id)));
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
            expiresAtUtc: fromField(value("expires")),
            showFromUtc: fromField(value("from")),
            showUntilUtc: fromField(value("until")),
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
          defaultValue={share?.name ?? location.name}
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
          <Moment name="from" label={SHARES.from} value={share?.showFromUtc ?? null} help={SHARES.timeHelp} />
          <Moment name="until" label={SHARES.until} value={share?.showUntilUtc ?? null} help={SHARES.timeHelp} />
        </div>
        <Moment name="expires" label={SHARES.expires} value={share?.expiresAtUtc ?? null} help={SHARES.expiresHelp} />
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

/** A new link, which is shown once. */
function MadeShare({ made, onClose }: { made: CreatedCameraShare; onClose: () => void }) {
  return (
    <Dialog title={SHARES.made} onClose={onClose}>
      <div class="pairing">
        <p>{SHARES.madeHelp}</p>
        <output class="secret" aria-label={SHARES.link}>
          {made.url}
        </output>
        <QrCode text={made.url} label={SHARES.qr} />
        <p class="row buttons">
          <CopyButton text={made.url} label={SHARES.copy} />
          <button type="button" class="btn primary" onClick={onClose}>
            {SHARES.done}
          </button>
        </p>
      </div>
    </Dialog>
  );
}

const hasEnded = ({ revokedAtUtc, expiresAtUtc }: CameraShare): boolean =>
  revokedAtUtc !== null || (expiresAtUtc !== null && Date.parse(expiresAtUtc) <= Date.now());

function ShareLine(props: { share: CameraShare; onEdit: () => void; onRevoke: () => void }) {
  const { share, onEdit, onRevoke } = props;
  const { name, cameraIds, revokedAtUtc, expiresAtUtc, lastUsedAtUtc, showFromUtc, showUntilUtc, hasPasscode } = share;
  const isEnded = hasEnded(share);
  const facts = [
    SHARES.count(cameraIds.length),
    isEnded && SHARES.ended(timeOf(revokedAtUtc ?? expiresAtUtc ?? "")),
    !isEnded && expiresAtUtc !== null && SHARES.ends(timeOf(expiresAtUtc)),
    lastUsedAtUtc === null ? SHARES.unused : SHARES.used(timeOf(lastUsedAtUtc)),
    hasPasscode && SHARES.locked,
    (showFromUtc !== null || showUntilUtc !== null) && SHARES.limited,
  ].filter((fact) => fact !== false);
  return (
    <li class="wrap">
      <Icon name={isEnded ? "x" : "share"} />
      <span class="grow">
        <b class={isEnded ? "muted" : "strong"}>{name}</b>
        <br />
        <span class="small muted nums">{facts.join(" · ")}</span>
      </span>
      {!isEnded && (
        <>
          <button type="button" class="btn" aria-label={SHARES.edit(name)} onClick={onEdit}>
            {SHARES.editShort}
          </button>
          <button type="button" class="btn" aria-label={SHARES.revoke(name)} onClick={onRevoke}>
            {SHARES.revokeShort}
          </button>
        </>
      )}
    </li>
  );
}

type Open =
  | { kind: "new" }
  | { kind: "edit" | "revoke"; share: CameraShare }
  | { kind: "made"; made: CreatedCameraShare };

/** The links to cameras of a location. People who may neither create nor manage links see nothing. */
export function Shares({ location, cameras }: { location: Location; cameras: readonly Shareable[] }) {
  const shares = useLoaded(location.id, () =>
    dataOf(
      api.GET("/v1/spatial/locations/{locationId}/camera-shares", { params: { path: { locationId: location.id } } }),
    ),
  );
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const { data } = shares;
  if (data !== undefined && !data.permissions.canCreate && !data.permissions.canManage) return null;
  return (
    <section class="card" aria-labelledby="shares">
      <header class="pad row wrap">
        <div class="grow">
          <h2 id="shares">{SHARES.title}</h2>
          <p class="small muted">{SHARES.help}</p>
        </div>
        {data?.permissions.canCreate && (
          <button type="button" class="btn" onClick={() => setOpen({ kind: "new" })}>
            <Icon name="share" />
            {SHARES.create}
          </button>
        )}
      </header>
      {shares.error !== undefined && <Alert title={SHARES.failed} error={shares.error} onRetry={shares.reload} />}
      {shares.slow && data === undefined && <Waiting text={SHARES.title} />}
      {data?.permissions.canManage && data.links.length === 0 && <p class="pad quiet">{SHARES.none}</p>}
      {data !== undefined && data.links.length > 0 && (
        <ul class="list">
          {data.links.map((share) => (
            <ShareLine
              key={share.id}
              share={share}
              onEdit={() => setOpen({ kind: "edit", share })}
              onRevoke={() => setOpen({ kind: "revoke", share })}
            />
          ))}
        </ul>
      )}
      {(open?.kind === "new" || open?.kind === "edit") && (
        <ShareForm
          location={location}
          cameras={cameras}
          share={open.kind === "edit" ? open.share : null}
          onMade={(made) => {
            setOpen({ kind: "made", made });
            shares.reload();
          }}
          onSaved={() => {
            close();
            shares.reload();
          }}
          onClose={close}
        />
      )}
      {open?.kind === "made" && <MadeShare made={open.made} onClose={close} />}
      {open?.kind === "revoke" && (
        <Confirm
          title={SHARES.revokeTitle}
          help={SHARES.revokeHelp}
          send={SHARES.revokeShort}
          failed={SHARES.revokeFailed}
          onSend={async () => {
            const { id, revision, name } = open.share;
            const body = { baseRevision: revision };
            await dataOf(api.POST("/v1/camera-shares/{id}/revoke", { params: { path: { id } }, body }));
            say(SHARES.revoked(name));
            shares.reload();
          }}
          onClose={close}
        />
      )}
    </section>
  );
}
