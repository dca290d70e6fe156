import type { Signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { sizeOf } from "#texts/language.ts";
import { CopyButton } from "../ui/copy.tsx";
import { lengthOf } from "../ui/format.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import type { Archive } from "./archive.ts";
import { showGap } from "./steps.ts";

/** A panel beside the picture. */
export interface Panel {
  name: string;
  label: string;
  icon: IconName;
  View: ComponentType<{ archive: Archive }>;
}

/** A button for each panel: in the head where there is room, under the ruler on a phone. */
export function PanelButtons({ panels, open }: { panels: readonly Panel[]; open: Signal<string | null> }) {
  return panels.map(({ name, label, icon }) => (
    <button
      key={name}
      type="button"
      class="btn bare"
      title={label}
      aria-pressed={open.value === name}
      onClick={() => {
        open.value = open.peek() === name ? null : name;
      }}
    >
      <Icon name={icon} />
      <span class="words">{label}</span>
    </button>
  ));
}

/** The panel that is open. On a phone it is below the ruler: a panel that the person opens comes into view. */
export function Side(props: { archive: Archive; panels: readonly Panel[]; open: Signal<string | null> }) {
  const panel = props.panels.find(({ name }) => name === props.open.value);
  const side = useRef<HTMLElement>(null);
  const before = useRef(panel);
  useEffect(() => {
    if (before.current !== panel) side.current?.scrollIntoView({ block: "nearest" });
    before.current = panel;
  }, [panel]);
  if (panel === undefined) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by touch, wheel and keys
    <aside class="side" aria-label={panel.label} tabIndex={0} ref={side}>
      <section>
        <panel.View archive={props.archive} />
      </section>
    </aside>
  );
}

/** The known facts of the picture. */
export function Facts({ archive }: { archive: Archive }) {
  const { details, clock } = archive;
  const capture = details.value;
  const text = ARCHIVE.facts;
  if (capture === null)
    return (
      <>
        <h2>{text.title}</h2>
        <p class="small muted">{archive.notice.value ?? ARCHIVE.loadingPicture}</p>
      </>
    );
  const taken = Date.parse(capture.capturedAtUtc);
  const { receivedAtUtc, sizeBytes, checksumSha256 } = capture;
  const late = (delay: number): [string, string] => [text.received, text.later(lengthOf(delay))];
  const rows: [string, string][] = [
    [text.taken, clock.value.full(taken)],
    [text.clock, capture.clockQuality === "estimated" ? text.estimated : text.synchronized],
    ...(receivedAtUtc === undefined ? [] : [late(Date.parse(receivedAtUtc) - taken)]),
    [text.size, `${capture.width} × ${capture.height}`],
  ];
  if (sizeBytes !== undefined) rows.push([text.bytes, sizeOf(sizeBytes)]);
  return (
    <>
      <h2>{text.title}</h2>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="nums">{value}</dd>
          </div>
        ))}
        {checksumSha256 !== undefined && (
          <div>
            <dt>{text.checksum}</dt>
            <dd class="sha">
              <code title={checksumSha256}>
                {checksumSha256.slice(0, 8)}…{checksumSha256.slice(-8)}
              </code>
              <CopyButton key={capture.id} text={checksumSha256} />
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

/** Rows of the table of gaps before the button that shows more, and with each press. */
const GAP_ROWS = 50;

/** The gaps as a table, newest first. */
export function GapTable({ archive }: { archive: Archive }) {
  const [rows, setRows] = useState(GAP_ROWS);
  const all = archive.frames.value?.gaps ?? [];
  const gaps = all.slice(-rows);
  const [oldest, newest] = [gaps[0]?.start ?? 0, gaps.at(-1)?.end ?? 0];
  const open = gaps.find(({ isOpen }) => isOpen);
  useEffect(() => {
    if (newest > oldest) void archive.explainGaps(oldest, newest);
  }, [archive, oldest, newest]);
  const clock = archive.clock.value;
  const columns = ARCHIVE.gapColumns;
  return (
    <>
      <h2>{ARCHIVE.gaps}</h2>
      {open !== undefined && (
        <p class="nums">{ARCHIVE.noneSince(clock.say(open.start, "day"), clock.say(open.start, "time"))}</p>
      )}
      {gaps.length === 0 && <p class="small muted">{ARCHIVE.noGaps}</p>}
      {gaps.length > 0 && (
        <table class="gaps">
          <thead>
            <tr>
              <th scope="col">{columns.from}</th>
              <th scope="col">{columns.length}</th>
              <th scope="col">{columns.cause}</th>
            </tr>
          </thead>
          <tbody>
            {gaps.toReversed().map((gap) => (
              <tr key={gap.start}>
                <td>
                  <button type="button" class="link nums" onClick={() => showGap(archive, gap)}>
                    {clock.say(gap.start, "day")}
                    <br />
                    {clock.say(gap.start, "time")}
                  </button>
                </td>
                <td class="num">{lengthOf(gap.end - gap.start)}</td>
                <td>
                  <span class={`hatch ${gap.cause}`} />
                  {gap.isOpen ? ARCHIVE.untilNow(ARCHIVE.causes[gap.cause]) : ARCHIVE.causes[gap.cause]}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {all.length > gaps.length && (
        <p>
          <button type="button" class="btn" onClick={() => setRows(rows + GAP_ROWS)}>
            {ARCHIVE.moreGaps(all.length - gaps.length)}
          </button>
        </p>
      )}
    </>
  );
}
