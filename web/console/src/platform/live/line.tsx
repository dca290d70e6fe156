import { useEffect, useState } from "preact/hooks";
import { LIVE } from "#texts/live.ts";
import { clockOf } from "../../../../ui/format.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { lostSince, nextTry, tryNow } from "./connection.ts";

const SECOND_MS = 1_000;

/** The time of the next try. It is not announced, because it changes each second. */
function Countdown() {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  const at = nextTry.value?.getTime() ?? null;
  return (
    <span class="nums muted" aria-hidden="true">
      {at === null ? LIVE.trying : LIVE.tryingIn(Math.max(Math.ceil((at - now) / SECOND_MS), 1))}
    </span>
  );
}

/** The line that says that there is no connection. */
export function ConnectionLine() {
  const since = lostSince.value;
  return (
    <div role="status">
      {since !== null && (
        <p class="thinline">
          <Icon name="offline" />
          <span class="grow">
            {LIVE.lost(clockOf(since))} <Countdown />
          </span>
          <button type="button" class="link" onClick={tryNow}>
            {LIVE.now}
          </button>
        </p>
      )}
    </div>
  );
}
