import "./cameras.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ROOM, WALL } from "#texts/cameras.ts";
import type { WallCamera } from "../../../../client/src/index.ts";
import { cameraPath } from "../../../../src/platform/paths.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { useNear } from "../../../ui/near.ts";
import { pictureOf, wantPicture } from "./pictures.ts";
import type { CameraState, Health } from "./state.ts";

const ICONS: Record<Health, IconName> = { silent: "alert", late: "clock", good: "check", calm: "pause" };

/** The last 24 hours as a strip: times with pictures, and gaps by cause. */
function LastDay({ lastDay: { fromUtc, toUtc, gaps }, lastCaptureAtUtc }: WallCamera) {
  // A camera that never sent a picture has no gap, and no time with pictures.
  if (lastCaptureAtUtc === null)
    return (
      <span class="last24 none">
        <span class="sr">{WALL.lastDayNone}</span>
      </span>
    );
  const [from, to] = [Date.parse(fromUtc), Date.parse(toUtc)];
  const percent = (utc: string) => `${((Date.parse(utc) - from) / (to - from)) * 100}%`;
  return (
    <span class="last24">
      <span class="sr">{WALL.lastDay(gaps.length)}</span>
      {gaps.map(({ startUtc, endUtc, cause }) => (
        <i
          key={startUtc}
          class={`hatch ${cause}`}
          style={{ left: percent(startUtc), width: `calc(${percent(endUtc)} - ${percent(startUtc)})` }}
        />
      ))}
    </span>
  );
}

/** Distance from the window in which cards have their contents, pixels. Others have their name, so that it is found. */
const NEAR_PX = 600;

/** What a card near the window shows of its camera. */
function Contents({ camera, state, isMarked }: { camera: WallCamera; state: CameraState; isMarked: boolean }) {
  useEffect(() => wantPicture(camera.id), [camera.id]);
  const url = pictureOf(camera.id).value;
  return (
    <>
      <span class="pic">
        {url === null ? (
          <span class="nopic">{camera.lastCaptureAtUtc === null && WALL.noPicture}</span>
        ) : (
          <img src={url} alt={WALL.picture(camera.name)} />
        )}
        {isMarked && <b class="mark">{ROOM.mark}</b>}
        {state.why !== null && (
          <span class="why">
            <Icon name={ICONS[state.health]} />
            <span>{state.why}</span>
          </span>
        )}
      </span>
      <LastDay {...camera} />
      <span class="name">
        <b class="cut">{camera.name}</b>
        <span class={`state ${state.health}`}>{state.age}</span>
      </span>
    </>
  );
}

/** A camera with its latest picture. It is a link to the camera's archive. */
export function CameraCard(props: {
  camera: WallCamera;
  state: CameraState;
  place?: string;
  /** Whether it fell silent while the person looked. */
  isMarked?: boolean;
  children?: ComponentChildren;
}) {
  const { camera, state, place, isMarked = false, children } = props;
  const cell = useRef<HTMLLIElement>(null);
  const isNear = useNear(cell, NEAR_PX);
  return (
    <li class="camcell" ref={cell}>
      <a class={`cam ${state.health}${isMarked ? " marked" : ""}${isNear ? "" : " far"}`} href={cameraPath(camera.id)}>
        {isNear ? (
          <Contents camera={camera} state={state} isMarked={isMarked} />
        ) : (
          <>
            <span class="pic" />
            <b class="cut">{camera.name}</b>
          </>
        )}
        {place !== undefined && <span class="small muted cut place">{place}</span>}
      </a>
      {children}
    </li>
  );
}
