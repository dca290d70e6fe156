import { untracked, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { CAMERA_ARCHIVE } from "#texts/camera-archive.ts";
import { COMMON } from "#texts/common.ts";
import { type Camera, ProblemError } from "../../../../client/src/index.ts";
import { cameraPartPath, locationPath } from "../../../../src/platform/paths.ts";
import { Archive } from "../../../archive/archive.ts";
import { ArchiveView } from "../../../archive/archive.tsx";
import { Days } from "../../../archive/days.tsx";
import { Facts, GapTable, type Panel } from "../../../archive/panels.tsx";
import { ToolButton } from "../../../archive/transport.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { useLooks } from "../../../ui/looking.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { NewShare, NoLinksButton, now, stateOf } from "../cameras/index.ts";
import { Gone } from "../platform/gone.tsx";
import { lazy, type ViewProps } from "../platform/lazy.tsx";
import { useEvents, useSpaced } from "../platform/live/index.ts";
import { recent } from "../platform/recent.ts";
import { address, navigate } from "../platform/router.ts";
import { readAddress, writeAddress } from "./address.ts";
import { Exports } from "./exports.tsx";
import { keyOf, type Opened, openCamera } from "./open-camera.ts";
import { memberPort } from "./port.ts";
import { removePicture } from "./remove.ts";

const CameraPanel = lazy(() => import("./camera-panel.tsx"));

/** Time after which the archive is read again without news, and the minimum time between two reads, milliseconds. */
const REFRESH_MS = 120_000;
const MIN_REFRESH_MS = 3_000;

/** Calls `look` when a live event of a camera arrives, or when events may have been missed. */
function useNewsOf({ cameraId, locationId }: { cameraId: string; locationId: string | undefined }, look: () => void) {
  const lookSpaced = useSpaced(look, MIN_REFRESH_MS);
  const places = locationId === undefined ? [] : [locationId];
  useEvents(["CapturePublished", "StateUpdated", "Stale"], places, (event) => {
    // Access to the camera may have ended.
    if (event.kind === "Stale") return look();
    const about = event.kind === "CapturePublished" ? event.cameraId : event.subject.id;
    if (about === cameraId) lookSpaced();
  });
}

function GonePage() {
  const text = CAMERA_ARCHIVE;
  return (
    <div class="page">
      <h1 class="sr">{text.title}</h1>
      <Gone title={text.gone} help={text.goneHelp} />
    </div>
  );
}

/** The archive of a camera. Its address has the state of the archive and the open panel. */
export default function ArchivePage({ path: [cameraId = ""] }: ViewProps) {
  return <CameraPage key={cameraId} cameraId={cameraId} />;
}

function CameraPage({ cameraId }: { cameraId: string }) {
  const formerId = address.value.searchParams.get("location");
  const { data, error, slow, reload } = useLoaded(keyOf(cameraId, formerId), () => openCamera(cameraId, formerId));
  useTitle(data?.camera.name ?? CAMERA_ARCHIVE.title);
  // The state of the camera can change with each picture.
  useNewsOf({ cameraId, locationId: data?.location.id }, reload);
  const isHidden = data === null || (error instanceof ProblemError && (error.status === 404 || error.status === 403));
  return (
    <>
      {isHidden && <GonePage />}
      {error !== undefined && !isHidden && (
        <div class="page">
          <Alert title={CAMERA_ARCHIVE.failed} error={error} onRetry={reload} />
        </div>
      )}
      {data === undefined && error === undefined && (
        <div class="page wide dark on-dark">{slow && <Waiting text={CAMERA_ARCHIVE.loading} />}</div>
      )}
      {data && <MemberArchive key={`${data.camera.id} ${data.location.id}`} {...data} />}
    </>
  );
}

const PANELS: readonly Panel[] = [
  { name: "facts", label: ARCHIVE.panels.facts, icon: "info", View: Facts },
  { name: "days", label: ARCHIVE.panels.days, icon: "calendar", View: Days },
  { name: "gaps", label: ARCHIVE.panels.gaps, icon: "gap", View: GapTable },
];

function MemberArchive({ camera, present, location }: Opened) {
  useEffect(() => {
    Object.assign(recent, { locationId: location.id, cameraId: camera.id });
  }, [location.id, camera.id]);
  const archive = useMemo(
    () =>
      new Archive({
        port: memberPort(camera.id, location.id),
        camera: { name: camera.name, timeZone: camera.timeZone },
        address: readAddress(address.peek()),
        onAddress: (at, push) => navigate(writeAddress(address.peek(), at), { replace: !push }),
      }),
    [camera.id, location.id],
  );
  const open = useSignal<string | null>(address.peek().searchParams.get("panel"));
  useSignalEffect(() => {
    const next = new URL(address.peek());
    if (open.value === null) next.searchParams.delete("panel");
    else next.searchParams.set("panel", open.value);
    navigate(next.href, { replace: true });
  });
  // The key for an export from the picture opens the panel with another range than its button.
  const exportFrom = useSignal<number | null>(null);
  useSignalEffect(() => {
    if (open.value !== "export") exportFrom.value = null;
  });
  // Back returns to the state of the address, with its panel.
  useSignalEffect(() => {
    const present = address.value;
    untracked(() => {
      open.value = present.searchParams.get("panel");
      archive.follow(readAddress(present));
    });
  });
  const look = () => {
    if (!document.hidden) void archive.refresh();
  };
  useNewsOf({ cameraId: camera.id, locationId: location.id }, look);
  useLooks(REFRESH_MS, look);
  useEffect(() => {
    void archive.open();
    return () => archive.dispose();
  }, [archive]);
  const mayWrite = location.capabilities.LocationCameras === "Write";
  const isPresent = present !== null;
  const panels = useMemo((): readonly Panel[] => {
    const place = { cameraId: camera.id, locationId: location.id };
    const ExportView = (props: { archive: Archive }) => <Exports {...props} place={place} start={exportFrom.peek()} />;
    const CameraView = () => <CameraPanel {...place} mayWrite={mayWrite} />;
    return [
      ...PANELS,
      ...(isPresent
        ? [{ name: "camera", label: ARCHIVE.panels.camera, icon: "camera" as const, View: CameraView }]
        : []),
      { name: "export", label: ARCHIVE.panels.export, icon: "film", View: ExportView },
    ];
  }, [camera.id, location.id, isPresent, mayWrite, exportFrom]);
  const { ExternalShareLinksCreate, ClusterView } = location.capabilities;
  const mayShare = ExternalShareLinksCreate !== "None" && ClusterView !== "None";
  const [sharing, setSharing] = useState(false);
  const actions = useMemo(
    () => ({
      e: () => {
        const isOpen = open.peek() === "export";
        exportFrom.value = isOpen ? null : archive.shown.peek();
        open.value = isOpen ? null : "export";
      },
      ...(mayWrite && { Delete: () => removePicture(archive) }),
      ...(mayShare && { s: () => setSharing(true) }),
    }),
    [archive, open, exportFrom, mayWrite, mayShare],
  );
  if (archive.attempts.refusal.value !== null) return <GonePage />;
  return (
    <ArchiveView
      archive={archive}
      panels={panels}
      open={open}
      actions={actions}
      empty={
        present !== null &&
        present.pairing !== "paired" &&
        mayWrite && (
          <a class="btn" href={cameraPartPath(location.id, camera.id, "device")}>
            {CAMERA_ARCHIVE.pair}
          </a>
        )
      }
      moreKeys={[
        [["E"], "exportFrom"],
        ...(mayShare ? ([[["S"], "share"]] as const) : []),
        ...(mayWrite ? ([[[COMMON.keys.remove], "remove"]] as const) : []),
      ]}
      tools={
        <>
          {mayWrite && (
            <ToolButton
              icon="trash"
              label={CAMERA_ARCHIVE.remove}
              keys={COMMON.keys.remove}
              disabled={archive.captureId.value === null}
              onClick={() => removePicture(archive)}
            />
          )}
          {!mayShare && <NoLinksButton organizationId={location.organizationId} />}
          {mayShare && (
            <button type="button" class="btn primary" onClick={() => setSharing(true)}>
              <Icon name="share" />
              {CAMERA_ARCHIVE.share}
            </button>
          )}
          {sharing && <NewShare location={location} cameraId={camera.id} onClose={() => setSharing(false)} />}
        </>
      }
      title={
        <div class="titles">
          <div class="row">
            <nav class="wide-only" aria-label={CAMERA_ARCHIVE.place}>
              <a href={locationPath(location.id)}>{location.name}</a>
            </nav>
            <span class="quiet wide-only" aria-hidden="true">
              /
            </span>
            <h1 class="cut">{camera.name}</h1>
          </div>
          {present === null ? <p class="small muted">{CAMERA_ARCHIVE.former}</p> : <StateLine camera={present} />}
        </div>
      }
    />
  );
}

/** Whether the camera takes pictures at present. */
function StateLine({ camera }: { camera: Camera }) {
  const { health, age, why } = stateOf(camera, now.value);
  const sentence = why === null ? age : `${age} · ${why}`;
  return (
    <p class={`state ${health} cut`} title={sentence}>
      {sentence}
    </p>
  );
}
