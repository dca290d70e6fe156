import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ROOM, WALL } from "#texts/cameras.ts";
import { Icon } from "../../../ui/icon.tsx";
import { isTyping } from "../../../ui/single-keys.ts";
import { useTitle } from "../../../ui/title.ts";
import { CameraCard } from "./card.tsx";
import { type Fallen, FallenLine, SoundSwitch } from "./fallen.tsx";
import { canFill, fillScreen, leaveRoom, useFilled, useScreenOn } from "./screen.ts";
import type { ShownCamera } from "./state.ts";
import { choose, type Group, groupsOf, shownBy, TURNS, type WallFields } from "./wall-address.ts";
import { ColumnChoice, Select } from "./wall-tools.tsx";

/** The space between cards, the height of a card without its picture, and the least width of a card, pixels. */
const [GAP, TEXT_HEIGHT, LEAST_WIDTH] = [12, 60, 140];
const RATIO = 16 / 9;
/** Maximum number of columns that are chosen automatically. */
const MAX_COLUMNS = 6;

interface Size {
  width: number;
  height: number;
}

/** The columns and rows of a page: the pictures fill the screen and keep nearly their form. */
export function gridOf(
  { width, height }: Size,
  cameras: number,
  chosen: number | null,
): { columns: number; rows: number } {
  const most = Math.max(1, Math.floor((width + GAP) / (LEAST_WIDTH + GAP)));
  const rowsFor = (columns: number) => {
    const cell = ((width + GAP) / columns - GAP) / RATIO + TEXT_HEIGHT;
    return Math.max(1, Math.round((height + GAP) / (cell + GAP)));
  };
  if (chosen !== null) {
    const columns = Math.min(chosen, most);
    return { columns, rows: rowsFor(columns) };
  }
  for (let columns = 1; columns <= Math.min(MAX_COLUMNS, most); columns++)
    if (columns * rowsFor(columns) >= cameras) return { columns, rows: rowsFor(columns) };
  const columns = Math.min(4, most);
  return { columns, rows: rowsFor(columns) };
}

/** The pages: each has cameras of one group, as many as the screen has room for. */
export const pagesOf = (groups: readonly Group[], capacity: number): Group[] =>
  groups.flatMap(({ cameras, ...group }) =>
    Array.from({ length: Math.ceil(cameras.length / capacity) }, (_, n) => ({
      ...group,
      cameras: cameras.slice(n * capacity, (n + 1) * capacity),
    })),
  );

/** The size of the element; null until it is known. */
function useSize() {
  const box = useRef<HTMLUListElement>(null);
  const [size, setSize] = useState<Size | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { box, size };
}

/** Shows the next page after a time. A page with the focus on one of its cameras stays. */
function useTurns(turn: number | null, page: number, show: (page: number) => void): void {
  useEffect(() => {
    if (turn === null) return;
    const timer = setInterval(() => {
      if (!document.hidden && document.querySelector(".room-wall :focus-visible") === null) show(page + 1);
    }, turn * 1000);
    return () => clearInterval(timer);
  }, [turn, page, show]);
}

/** The arrow keys show another page, and Escape ends the control room. */
function useRoomKeys(page: number, show: (page: number) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) leaveRoom();
      if (isTyping(event.target)) return;
      if (event.key === "ArrowLeft") show(page - 1);
      else if (event.key === "ArrowRight") show(page + 1);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [page, show]);
}

/** The wall for a control room: pages that fill the screen, without the frame of the console. */
export function Room({ all, fields, fallen }: { all: readonly ShownCamera[]; fields: WallFields; fallen: Fallen }) {
  const { columns: chosen, turn, isGrouped } = fields;
  useTitle(WALL.title);
  useScreenOn();
  const isFilled = useFilled(leaveRoom);
  const { box, size } = useSize();
  const groups = groupsOf(shownBy(fields, all), isGrouped);
  const largest = Math.max(0, ...groups.map(({ cameras }) => cameras.length));
  const grid = size === null ? null : gridOf(size, largest, chosen);
  const pages = grid === null ? [] : pagesOf(groups, grid.columns * grid.rows);
  const count = Math.max(1, pages.length);
  const at = Math.min(fields.page, count);
  const show = useRef((_page: number) => {});
  show.current = (page) => {
    if (count > 1) choose({ page: String(((page - 1 + count) % count) + 1) });
  };
  const step = useRef((page: number) => show.current(page)).current;
  useTurns(turn, at, step);
  useRoomKeys(at, step);
  const shown = pages[at - 1];
  const arrow = (name: "left" | "right", label: string, page: number) => (
    <button
      type="button"
      class="btn icon-only"
      aria-label={label}
      disabled={count === 1}
      onClick={() => show.current(page)}
    >
      <Icon name={name} />
    </button>
  );
  return (
    <div class="room on-dark">
      <header class="row wrap room-head wall-tools">
        <h1 class="grow cut">{shown?.name ?? WALL.title}</h1>
        <span class="row">
          {arrow("left", ROOM.earlier, at - 1)}
          <span class="nums small" aria-live={turn === null ? "polite" : "off"}>
            {ROOM.page(at, count)}
          </span>
          {arrow("right", ROOM.later, at + 1)}
        </span>
        <Select
          label={ROOM.turn}
          value={turn === null ? "" : String(turn)}
          options={[["", ROOM.never], ...TURNS.map((one) => [String(one), ROOM.turns(one)] as const)]}
          onChange={(value) => choose({ turn: value })}
        />
        <ColumnChoice columns={chosen} />
        <SoundSwitch />
        {!isFilled && canFill() && (
          <button type="button" class="btn" onClick={fillScreen}>
            <Icon name="expand" />
            {ROOM.fullScreen}
          </button>
        )}
        <button type="button" class="btn" onClick={leaveRoom}>
          <Icon name="x" />
          {ROOM.leave}
        </button>
      </header>
      <FallenLine fallen={fallen} all={all} />
      {size !== null && pages.length === 0 && <p class="room-none">{ROOM.none}</p>}
      <ul
        class="wall room-wall"
        ref={box}
        style={grid === null ? {} : { "--columns": String(grid.columns), "--rows": String(grid.rows) }}
      >
        {shown?.cameras.map(({ camera, state }) => (
          <CameraCard
            key={camera.id}
            camera={camera}
            state={state}
            isMarked={fallen.ids.has(camera.id)}
            {...(shown.name === null && { place: camera.locationName })}
          />
        ))}
      </ul>
    </div>
  );
}
