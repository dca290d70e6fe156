import type { Signal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { COMMON } from "#texts/common.ts";
import { Check } from "../ui/form.tsx";
import { lengthOf } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { singleKeys } from "../ui/single-keys.ts";
import { useStrip } from "../ui/tabs.tsx";
import type { Archive } from "./archive.ts";
import { toggleCompare } from "./compare.tsx";
import type { GapCause } from "./frames.ts";
import { followKeys, type KeyActions } from "./keys.ts";
import { type Panel, PanelButtons, Side } from "./panels.tsx";
import { Picture, toggleFullScreen } from "./picture.tsx";
import { Player, SPEEDS } from "./player.ts";
import { Ruler } from "./ruler.tsx";
import { copyMoment, savePicture } from "./save.ts";
import { ClockButton, ToolButton, Transport } from "./transport.tsx";
import "./archive.css";
import "./panels.css";
import "./narrow.css";
import "./tools.css";

/** Keys, each with the name of its text. */
type KeyLine = readonly [keys: readonly string[], text: keyof typeof ARCHIVE.keyList];

const NO_ACTIONS: KeyActions = {};

interface ArchiveViewProps {
  archive: Archive;
  panels: readonly Panel[];
  /** The panel that is open, by its name. */
  open: Signal<string | null>;
  /** The left and the right end of the head. Without a title there is no head. */
  title?: ComponentChildren;
  tools?: ComponentChildren;
  actions?: KeyActions;
  /** The next step in an archive without pictures. */
  empty?: ComponentChildren;
  /** The keys of these actions, for the list of keys. */
  moreKeys?: readonly KeyLine[];
}

/** The archive of one camera: the picture, the ruler under it, and panels beside it. */
export function ArchiveView({
  archive,
  panels,
  open,
  title,
  tools,
  actions = NO_ACTIONS,
  empty,
  moreKeys = [],
}: ArchiveViewProps) {
  const keys = useRef<HTMLDialogElement>(null);
  const showKeys = () => keys.current?.showModal();
  const player = useMemo(() => new Player(archive), [archive]);
  const box = useRef<HTMLDivElement>(null);
  const strip = useStrip<HTMLFieldSetElement>(open.value);
  // This runs before the browser draws the view, so that no key is lost, even if a person presses it as soon as they see the view.
  useLayoutEffect(() => {
    const own: KeyActions = {
      " ": () => player.toggle(),
      "+": () => player.faster(1),
      "-": () => player.faster(-1),
      b: () => toggleCompare(archive),
      c: () => void copyMoment(archive),
      d: () => void savePicture(archive),
      f: () => toggleFullScreen(box.current?.querySelector(".stage") ?? null),
      z: () => archive.zoom.toggle(),
      Escape: () => {
        archive.before.value = null;
        archive.zoom.show(null);
      },
      "?": showKeys,
    };
    const undo = followKeys(archive, { ...own, ...actions });
    return () => {
      undo();
      player.pause();
    };
  }, [archive, player, actions]);
  const buttons = (
    <>
      <CompareButton archive={archive} />
      <PanelButtons panels={panels} open={open} />
      <ToolButton icon="download" label={ARCHIVE.savePicture} keys="D" onClick={() => void savePicture(archive)} />
      <ToolButton icon="link" label={ARCHIVE.copyLink} keys="C" onClick={() => void copyMoment(archive)} />
      <ToolButton icon="keyboard" label={ARCHIVE.keys} keys="?" onClick={showKeys} />
    </>
  );
  return (
    <div class={open.value === null ? "archive" : "archive with-side"} ref={box}>
      {title !== undefined && (
        <header class="archive-head">
          {title}
          <div class="wide-only row">{buttons}</div>
          {tools}
        </header>
      )}
      <Picture archive={archive} empty={empty} />
      <section class="time" aria-label={ARCHIVE.time}>
        <Transport archive={archive} player={player} />
        <Ruler archive={archive} />
        <Legend archive={archive} player={player} open={open} hasGaps={panels.some(({ name }) => name === "gaps")} />
        {title === undefined && <div class="wide-only row tools">{buttons}</div>}
      </section>
      <fieldset class="panels" aria-label={ARCHIVE.panels.group} ref={strip}>
        <CompareButton archive={archive} />
        <PanelButtons panels={panels} open={open} />
        <ToolButton icon="download" label={ARCHIVE.savePicture} onClick={() => void savePicture(archive)} />
        <ToolButton icon="link" label={ARCHIVE.copyLink} onClick={() => void copyMoment(archive)} />
      </fieldset>
      <Side archive={archive} panels={panels} open={open} />
      <KeysDialog dialog={keys} lines={[...KEYS, ...moreKeys]} />
    </div>
  );
}

function CompareButton({ archive }: { archive: Archive }) {
  return (
    <button
      type="button"
      class="btn bare"
      aria-label={ARCHIVE.compare.open}
      title={`${ARCHIVE.compare.open}  B`}
      aria-pressed={archive.before.value !== null}
      disabled={(archive.frames.value?.count ?? 0) < 2}
      onClick={() => toggleCompare(archive)}
    >
      <Icon name="split" />
      <span class="words">{ARCHIVE.compare.open}</span>
    </button>
  );
}

/** The speed of the film and its length. A press selects the next speed; the slowest follows the fastest. */
function FilmSpeed({ player }: { player: Player }) {
  const frames = player.length.value;
  if (frames < 2) return null;
  const seconds = Math.max(1, Math.round(frames / player.speed.value));
  const length = seconds < 120 ? ARCHIVE.film.seconds(seconds) : ARCHIVE.film.minutes(Math.round(seconds / 60));
  const isFastest = player.speed.value === SPEEDS.at(-1);
  return (
    <button
      type="button"
      class="btn bare small nums"
      title={`${ARCHIVE.film.speed}  + −`}
      onClick={() => player.faster(isFastest ? -SPEEDS.length : 1)}
    >
      {ARCHIVE.film.words(player.speed.value, length)}
    </button>
  );
}

function Legend(props: { archive: Archive; player: Player; open: Signal<string | null>; hasGaps: boolean }) {
  const { archive, player, open, hasGaps } = props;
  const frames = archive.frames.value;
  if (frames === null) return null;
  archive.viewVersion.value;
  const { view } = archive;
  // The causes of short gaps are read when they are visible: until then, they are not unknown.
  const named = frames.gaps.filter(
    ({ cause, start, end }) => cause !== "unknown" || (end > view.from && start < view.to),
  );
  const causes = [...new Set(named.map(({ cause }) => cause))] as GapCause[];
  const length = frames.gaps.reduce((sum, { start, end }) => sum + end - start, 0);
  return (
    <div class="legend">
      <span class="causes">
        {causes.map((cause) => (
          <span key={cause}>
            <span class={`hatch ${cause}`} />
            {ARCHIVE.legend[cause]}
          </span>
        ))}
        {frames.partial && <span role="status">{ARCHIVE.olderPending}</span>}
      </span>
      {hasGaps && frames.gaps.length > 0 && (
        <button
          type="button"
          class="link"
          aria-pressed={open.value === "gaps"}
          onClick={() => {
            open.value = open.peek() === "gaps" ? null : "gaps";
          }}
        >
          {ARCHIVE.gapSum(frames.gaps.length, lengthOf(length))}
        </button>
      )}
      <FilmSpeed player={player} />
      <ClockButton archive={archive} part="wide-only" />
    </div>
  );
}

const KEYS: readonly KeyLine[] = [
  [["←", "→"], "frame"],
  [[COMMON.keys.shift, "←", "→"], "day"],
  [["[", "]"], "gap"],
  [[COMMON.keys.home, COMMON.keys.end], "ends"],
  [[COMMON.keys.space], "play"],
  [["+", "−"], "speed"],
  [["D"], "download"],
  [["C"], "copy"],
  [["B"], "compare"],
  [["Z"], "zoom"],
  [["F"], "fullScreen"],
  [["?"], "all"],
];

function KeysDialog({ dialog, lines }: { dialog: RefObject<HTMLDialogElement | null>; lines: readonly KeyLine[] }) {
  return (
    <dialog class="keys" ref={dialog} aria-label={ARCHIVE.keysTitle}>
      <h2>{ARCHIVE.keysTitle}</h2>
      <dl>
        {lines.map(([keys, text]) => (
          <div key={text}>
            <dt>{ARCHIVE.keyList[text]}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <div class="row">
        <div class="grow">
          <Check
            label={ARCHIVE.singleKeys}
            checked={singleKeys.value}
            onChange={(on) => {
              singleKeys.value = on;
            }}
          />
        </div>
        <button type="button" class="btn" onClick={() => dialog.current?.close()}>
          {COMMON.close}
        </button>
      </div>
    </dialog>
  );
}
