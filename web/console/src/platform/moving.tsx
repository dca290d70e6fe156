import { useEffect } from "preact/hooks";
import { percent } from "#texts/language.ts";
import { LIVE } from "#texts/live.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLooks } from "../../../ui/looking.ts";
import { movesSeen } from "./session.ts";
import { organization, readOrganizations } from "./workspace.ts";

/** Time between two looks at a move, milliseconds. */
const LOOK_MS = 3_000;

/** The line that says that the organization moves to another database, with its progress. A refused change shows it too. */
export function MovingLine() {
  const shown = organization.value;
  const moving = shown?.moving ?? null;
  const seen = movesSeen.value;
  useEffect(() => {
    if (seen > 0) void readOrganizations();
  }, [seen]);
  useLooks(moving === null ? null : LOOK_MS, () => void readOrganizations());
  return (
    <div role="status">
      {shown && moving && (
        <p class="thinline">
          <Icon name="clock" />
          <span class="grow">{LIVE.moving(shown.name)}</span>
          <span class="nums muted" aria-hidden="true">
            {LIVE.moved(percent(moving.done / Math.max(moving.total, 1)))}
          </span>
        </p>
      )}
    </div>
  );
}
