import { useEffect, useState } from "preact/hooks";
import { CAMERA } from "#texts/cameras.ts";
import { type Camera, type CameraEnrollment, dataOf } from "../../../../client/src/index.ts";
import { CopyButton } from "../../../ui/copy.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLooks } from "../../../ui/looking.ts";
import { Alert } from "../../../ui/notice.tsx";
import { lazy } from "../platform/lazy.tsx";
import { api } from "../platform/session.ts";

const QrCode = lazy(() => import("./qr-code.tsx"));

const TICK_MS = 1_000;
/** Time between two checks whether a device used the open code. */
const LOOK_MS = 3_000;

/** The remaining time as "14:05". */
const leftOf = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor((ms % 60_000) / 1_000)).padStart(2, "0")}`;

/** A pairing code with its countdown, until a device uses it. `onChange` is called while it is open. */
export function Pairing({ camera, onChange }: { camera: Camera; onChange: () => void }) {
  const [code, setCode] = useState<CameraEnrollment | null>(null);
  const [time, setTime] = useState(Date.now());
  const [error, setError] = useState<unknown>(null);
  // A camera with a device stays paired until a device uses the new code.
  const [wasOpen, setWasOpen] = useState(false);
  useEffect(() => {
    if (code !== null && camera.pairing === "pending") setWasOpen(true);
  }, [code, camera.pairing]);
  const left = code === null ? 0 : Date.parse(code.expiresAtUtc) - time;
  const isDone = code !== null && wasOpen && camera.pairing === "paired";
  const isOpen = code !== null && left > 0 && !isDone;
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setTime(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isOpen]);
  useLooks(isOpen ? LOOK_MS : null, onChange);
  const make = () => {
    setError(null);
    dataOf(api.POST("/v1/cameras/{cameraId}/enrollments", { params: { path: { cameraId: camera.id } } })).then(
      (made) => {
        setTime(Date.now());
        setCode(made);
        setWasOpen(false);
        onChange();
      },
      setError,
    );
  };
  return (
    <div class="stack">
      {error !== null && <Alert title={CAMERA.pairFailed} error={error} />}
      {isOpen && (
        <div class="pairing">
          <p>{CAMERA.pairHelp}</p>
          <output class="code" aria-label={CAMERA.pairCode}>
            {code.pairingCode}
          </output>
          <QrCode text={`${location.origin}\n${code.pairingCode}`} label={CAMERA.pairQr} />
          <p class="small muted nums" role="timer">
            {CAMERA.pairLeft(leftOf(left))}
          </p>
          <CopyButton text={code.pairingCode} />
        </div>
      )}
      <p role="status">
        {isDone && CAMERA.pairDone}
        {code !== null && !isDone && left <= 0 && CAMERA.pairEnded}
      </p>
      {!isOpen && (
        <p>
          <button type="button" class={camera.pairing === "none" ? "btn primary" : "btn"} onClick={make}>
            <Icon name="camera" />
            {camera.pairing === "paired" ? CAMERA.pairAgain : CAMERA.pairStart}
          </button>
        </p>
      )}
    </div>
  );
}
