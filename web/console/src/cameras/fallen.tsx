import { useEffect, useRef, useState } from "preact/hooks";
import { ROOM } from "#texts/cameras.ts";
import { Check } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { isSoundBlocked, isSoundOn, ring } from "./sound.ts";
import type { ShownCamera } from "./state.ts";

/** Maximum number of names in the message. */
const MAX_NAMES = 3;

export interface Fallen {
  ids: ReadonlySet<string>;
  /** Ends the marks: the person has seen them. */
  see: () => void;
}

/**
 * The cameras that fell silent while the wall was open, until the person has seen it or the camera works again. A sound tells
 * of each time, if it is on.
 */
export function useFallen(all: readonly ShownCamera[]): Fallen {
  const before = useRef<ReadonlyMap<string, boolean>>(new Map());
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const silent = all.filter(({ state }) => state.health === "silent").map(({ camera }) => camera.id);
  useEffect(() => {
    const isSilent = new Set(silent);
    // A camera that was silent when it was first shown has not fallen silent here.
    const fell = silent.filter((id) => before.current.get(id) === false);
    before.current = new Map(all.map(({ camera }) => [camera.id, isSilent.has(camera.id)]));
    setIds((known) => {
      const next = new Set([...known, ...fell].filter((id) => isSilent.has(id)));
      return next.size === known.size && fell.length === 0 ? known : next;
    });
    if (fell.length > 0) ring();
  }, [silent.join(), all.length]);
  return { ids, see: () => setIds(new Set()) };
}

/** Names the cameras that fell silent. The region is there before its text, so that screen readers say it. */
export function FallenLine({ fallen, all }: { fallen: Fallen; all: readonly ShownCamera[] }) {
  const names = all.filter(({ camera }) => fallen.ids.has(camera.id)).map(({ camera }) => camera.name);
  const others = names.length - MAX_NAMES;
  const named = others > 0 ? [...names.slice(0, MAX_NAMES), ROOM.more(others)] : names;
  return (
    <div role="alert" class="fallen-line">
      {names.length > 0 && (
        <p class="row wrap">
          <Icon name="alert" />
          <b class="grow">{ROOM.fallen(named)}</b>
          <button type="button" class="btn" onClick={fallen.see}>
            <Icon name="check" />
            {ROOM.seen}
          </button>
        </p>
      )}
    </div>
  );
}

/** Switches the sound. */
export function SoundSwitch() {
  return (
    <Check
      label={ROOM.sound}
      checked={isSoundOn.value}
      {...(isSoundBlocked.value && { help: ROOM.soundBlocked })}
      onChange={(on) => {
        isSoundOn.value = on;
      }}
    />
  );
}
