import { useState } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { CAMERA, MOVE, STATE } from "#texts/cameras.ts";
import { sizeOf } from "#texts/language.ts";
import { type Camera, dataOf } from "../../../../client/src/index.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { roughLengthOf, zonedTimeOf } from "../../../ui/format.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";
import { MoveCamera } from "./move.tsx";
import { Pairing } from "./pairing.tsx";
import { stateOf } from "./state.ts";
import { WhatToCheck } from "./what-to-check.tsx";

const { facts: FACTS } = CAMERA;

/** The pairing and the last report of a camera's device. */
export function DeviceFacts({ camera }: { camera: Camera }) {
  const { device, timeZone } = camera;
  const when = (utc: string | null) =>
    utc === null ? CAMERA.never : zonedTimeOf(Date.parse(utc), timeZone, Date.now());
  const facts: [string, string][] = [
    [FACTS.pairing, CAMERA.pairings[camera.pairing]],
    [FACTS.seen, when(camera.lastSeenAtUtc)],
    [FACTS.capture, when(camera.lastCaptureAtUtc)],
    [FACTS.clock, timeZone],
  ];
  if (device !== null)
    facts.push(
      [FACTS.applied, camera.configurationPending ? CAMERA.pending : CAMERA.applied],
      [FACTS.queue, CAMERA.queue(device.queueCount, sizeOf(device.queueBytes))],
      [FACTS.free, sizeOf(device.freeBytes)],
    );
  if (device !== null && device.errorCode !== null) facts.push([FACTS.error, STATE.faultAndCode(device.errorCode)]);
  if (camera.identicalFrames > 2) facts.push([FACTS.frozen, CAMERA.frozen(camera.identicalFrames)]);
  return (
    <dl class="facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd class="nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The times without pictures and their causes, the newest first. */
function History({ camera }: { camera: Camera }) {
  const { id: cameraId, locationId, timeZone } = camera;
  const timeline = useLoaded(`${cameraId} ${camera.lastCaptureAtUtc}`, () =>
    dataOf(api.GET("/v1/cameras/{cameraId}/timeline", { params: { path: { cameraId }, query: { locationId } } })),
  );
  const { data } = timeline;
  const gaps = data === undefined ? [] : data.openGap === null ? data.gaps : [...data.gaps, data.openGap];
  const columns = CAMERA.historyColumns;
  return (
    <section class="card" aria-labelledby="history">
      <h3 class="pad" id="history">
        {CAMERA.history}
      </h3>
      {timeline.error !== undefined && (
        <Alert title={CAMERA.historyFailed} error={timeline.error} onRetry={timeline.reload} />
      )}
      {timeline.slow && data === undefined && <Waiting text={CAMERA.historyLoading} />}
      {data !== undefined && gaps.length === 0 && <p class="pad quiet">{CAMERA.historyNone}</p>}
      {gaps.length > 0 && (
        <ul class="list interruptions">
          {gaps.toReversed().map(({ startUtc, endUtc, cause }) => (
            <li key={startUtc}>
              <span class="nums">
                <span class="sr">{columns.from} </span>
                {zonedTimeOf(Date.parse(startUtc), timeZone, Date.now())}
              </span>
              <span class="num">
                <span class="sr">{columns.length} </span>
                {roughLengthOf(Date.parse(endUtc) - Date.parse(startUtc))}
              </span>
              <span class="muted small">
                {startUtc === data?.openGap?.startUtc ? ARCHIVE.untilNow(ARCHIVE.causes[cause]) : ARCHIVE.causes[cause]}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type End = "revoke" | "retire";
const ENDS: Record<End, { label: string; help: string; failed: string }> = {
  revoke: { label: CAMERA.revoke, help: CAMERA.revokeHelp, failed: CAMERA.revokeFailed },
  retire: { label: CAMERA.retire, help: CAMERA.retireHelp, failed: CAMERA.retireFailed },
};

/** The device of a camera: its pairing, its last report, and buttons that end its access. */
export function DevicePart(props: { camera: Camera; mayWrite: boolean; onChange: () => void }) {
  const { camera, mayWrite, onChange } = props;
  const [ending, setEnding] = useState<End | null>(null);
  const [moving, setMoving] = useState(false);
  const params = { path: { cameraId: camera.id } };
  const end = (verb: End) =>
    dataOf(
      verb === "revoke"
        ? api.POST("/v1/cameras/{cameraId}/revoke", { params })
        : api.POST("/v1/cameras/{cameraId}/retire", { params }),
    );
  const isEnded = camera.status === "retired";
  const ends = (["revoke", "retire"] as const).filter((verb) => verb === "retire" || camera.pairing === "paired");
  return (
    <div class="camera-parts">
      <div class="camera-side">
        {stateOf(camera, Date.now()).health === "silent" && <WhatToCheck camera={camera} />}
        <section class="card pad stack" aria-labelledby="device">
          <h3 id="device">{CAMERA.device}</h3>
          <DeviceFacts camera={camera} />
          {camera.device === null && <p class="quiet">{CAMERA.noDevice}</p>}
        </section>
        <History camera={camera} />
      </div>
      {mayWrite && !isEnded && (
        <div class="camera-side">
          <section class="card pad stack" aria-labelledby="pairing">
            <h3 id="pairing">{CAMERA.pair}</h3>
            <Pairing camera={camera} onChange={onChange} />
          </section>
          <section class="card pad stack" aria-labelledby="end">
            <h3 id="end">{CAMERA.end}</h3>
            <button type="button" class="btn" onClick={() => setMoving(true)}>
              {MOVE.open}
            </button>
            {ends.map((verb) => (
              <button key={verb} type="button" class="btn" onClick={() => setEnding(verb)}>
                {ENDS[verb].label}
              </button>
            ))}
          </section>
        </div>
      )}
      {moving && <MoveCamera camera={camera} onClose={() => setMoving(false)} />}
      {ending !== null && (
        <Confirm
          title={`${ENDS[ending].label}?`}
          help={ENDS[ending].help}
          send={ENDS[ending].label}
          failed={ENDS[ending].failed}
          onSend={async () => {
            await end(ending);
            onChange();
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </div>
  );
}
