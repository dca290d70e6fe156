import { useMemo, useState } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { SHARES } from "#texts/cameras.ts";
import {
  type CameraShare,
  type CreatedCameraShare,
  dataOf,
  type Location,
  type LocationCamera,
} from "../../../../client/src/index.ts";
import { Clock } from "../../../archive/clock.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, Waiting } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";
import { NoLinks } from "./no-links.tsx";
import { MadeShare, ShareForm, zoneOf } from "./share-form.tsx";

const hasEnded = ({ revokedAtUtc, expiresAtUtc }: CameraShare): boolean =>
  revokedAtUtc !== null || (expiresAtUtc !== null && Date.parse(expiresAtUtc) <= Date.now());

function ShareLine(props: { share: CameraShare; clock: Clock; onEdit: () => void; onRevoke: () => void }) {
  const { share, clock, onEdit, onRevoke } = props;
  const { name, cameraIds, revokedAtUtc, expiresAtUtc, lastUsedAtUtc, showFromUtc, showUntilUtc, hasPasscode } = share;
  const isEnded = hasEnded(share);
  const timeOf = (utc: string) => `${clock.say(Date.parse(utc), "date")} ${clock.say(Date.parse(utc), "time")}`;
  const facts = [
    SHARES.count(cameraIds.length),
    isEnded && SHARES.ended(timeOf(revokedAtUtc ?? expiresAtUtc ?? "")),
    !isEnded && expiresAtUtc !== null && SHARES.ends(timeOf(expiresAtUtc)),
    lastUsedAtUtc === null ? SHARES.unused : SHARES.used(timeOf(lastUsedAtUtc)),
    hasPasscode && SHARES.locked,
    showFromUtc !== null && SHARES.shownFrom(timeOf(showFromUtc)),
    showUntilUtc !== null && SHARES.shownUntil(timeOf(showUntilUtc)),
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

/** The links to cameras of a location, or why the person has none. */
export function Shares({ location, cameras }: { location: Location; cameras: readonly LocationCamera[] }) {
  const shares = useLoaded(location.id, () =>
    dataOf(
      api.GET("/v1/spatial/locations/{locationId}/camera-shares", { params: { path: { locationId: location.id } } }),
    ),
  );
  const zone = zoneOf(location, cameras);
  const [isOwnClock, setOwnClock] = useState(false);
  const clock = useMemo(() => new Clock(isOwnClock ? undefined : zone), [isOwnClock, zone]);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const { data } = shares;
  if (data !== undefined && !data.permissions.canCreate && !data.permissions.canManage)
    return <NoLinks organizationId={location.organizationId} />;
  return (
    <section class="card" aria-labelledby="shares">
      <header class="pad row wrap">
        <div class="grow">
          <h2 id="shares">{SHARES.title}</h2>
          <p class="small muted">{SHARES.help}</p>
        </div>
        {data !== undefined && data.links.length > 0 && (
          <button
            type="button"
            class="btn bare small"
            title={ARCHIVE.changeClock}
            onClick={() => setOwnClock(!isOwnClock)}
          >
            <Icon name="clock" />
            {isOwnClock ? ARCHIVE.yourClock(clock.timeZone) : SHARES.clock(clock.timeZone)}
          </button>
        )}
        {data?.permissions.canCreate && (
          <button type="button" class="btn" onClick={() => setOpen({ kind: "new" })}>
            <Icon name="share" />
            {SHARES.create}
          </button>
        )}
      </header>
      {shares.error !== undefined && <Alert title={SHARES.failed} error={shares.error} onRetry={shares.reload} />}
      {shares.slow && data === undefined && <Waiting text={SHARES.loading} />}
      {data?.permissions.canManage && data.links.length === 0 && <p class="pad quiet">{SHARES.none}</p>}
      {data !== undefined && data.links.length > 0 && (
        <ul class="list">
          {data.links.map((share) => (
            <ShareLine
              key={share.id}
              share={share}
              clock={clock}
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
          chosen={cameras.map(({ id }) => id)}
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
