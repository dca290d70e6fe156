import { useEffect, useRef, useState } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { SHARE_VIEWER } from "#texts/share-viewer.ts";
import { lengthOf, zonedTimeOf } from "../../ui/format.ts";
import { type Latest, useLatest } from "./latest.ts";
import type { Link, SharedCamera } from "./link.ts";

interface WallProps {
  link: Link;
  cameras: readonly SharedCamera[];
  onChoose(id: string): void;
}

/** The latest pictures of all cameras of the link. Each leads to the archive of its camera. */
export function Wall({ link, cameras, onChoose }: WallProps) {
  const list = useRef<HTMLUListElement>(null);
  const latest = useLatest(link, cameras, list);
  return (
    <ul class="shared-wall" ref={list} aria-label={SHARE_VIEWER.cameras}>
      {cameras.map((camera) => (
        <li key={camera.id} data-camera={camera.id}>
          <button type="button" onClick={() => onChoose(camera.id)}>
            <CardPicture link={link} camera={camera} latest={latest.value.get(camera.id) ?? null} />
            <b>{camera.name}</b>
            <CardTime camera={camera} latest={latest.value.get(camera.id)} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The small preview at once, and the thumbnail over it when it is there. */
function CardPicture({ link, camera, latest }: { link: Link; camera: SharedCamera; latest: Latest | null }) {
  const [thumbnail, setThumbnail] = useState<string | null>(null);
  const captureId = latest?.captureId;
  useEffect(() => {
    if (captureId === undefined) return;
    const stop = new AbortController();
    let url: string | null = null;
    const show = (blob: Blob | null) => {
      if (blob === null || stop.signal.aborted) return;
      url = URL.createObjectURL(blob);
      setThumbnail(url);
    };
    // Without the thumbnail, the preview is still shown.
    link
      .port(camera.id)
      .image(captureId, "thumbnail", stop.signal)
      .then(show, () => undefined);
    return () => {
      stop.abort();
      setThumbnail(null);
      if (url !== null) URL.revokeObjectURL(url);
    };
  }, [link, camera.id, captureId]);
  return <span class="pic">{latest !== null && <img src={thumbnail ?? latest.url} alt="" decoding="async" />}</span>;
}

/** When the latest picture was taken, by the clock of the camera. `latest` is undefined until it is known. */
function CardTime({ camera, latest }: { camera: SharedCamera; latest: Latest | null | undefined }) {
  if (latest === undefined) return <span class="small muted">{ARCHIVE.loadingPicture}</span>;
  if (latest === null) return <span class="small muted">{ARCHIVE.none}</span>;
  const now = Date.now();
  return (
    <span class="small muted nums">
      {zonedTimeOf(latest.takenAt, camera.timeZone, now)} · {ARCHIVE.ago(lengthOf(now - latest.takenAt))}
    </span>
  );
}
