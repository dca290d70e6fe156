import { useState } from "preact/hooks";
import { PEOPLE } from "#texts/people.ts";
import type { WaitingShare } from "../../../../client/src/index.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { timeOf } from "../../../ui/format.ts";
import { More } from "../../../ui/more.tsx";
import { Alert, say } from "../../../ui/notice.tsx";
import { usePages } from "../../../ui/pages.ts";
import { grantsOf } from "./grants.ts";
import { inWords } from "./levels.tsx";
import { Person } from "./person.tsx";
import type { Shared } from "./share-form.tsx";

/** The shares of a resource that wait for a person. They are read again when `changes` is another number. */
export function WaitingShares({ of, changes }: { of: Shared; changes: number }) {
  const text = PEOPLE.waiting;
  const { listWaiting, removeWaiting } = grantsOf(of.kind, of.id);
  const { items, more, error, reload } = usePages(`waiting ${of.kind} ${of.id}`, listWaiting, String(changes));
  const [ending, setEnding] = useState<WaitingShare | null>(null);
  if (error !== undefined) return <Alert title={text.failed} error={error} onRetry={reload} />;
  if (items === undefined || items.length === 0) return null;
  return (
    <>
      <h3 class="list-foot waits">{text.title}</h3>
      <ul class="list">
        {items.map((share) => {
          const { id, email, capabilities, expiresAtUtc, waitsUntilUtc } = share;
          return (
            <Person
              key={id}
              name={email}
              email={text.until(timeOf(waitsUntilUtc))}
              chips={expiresAtUtc && <span class="chip nums">{PEOPLE.until(timeOf(expiresAtUtc))}</span>}
              say={inWords(capabilities)}
            >
              <button type="button" class="btn" aria-label={text.endOf(email)} onClick={() => setEnding(share)}>
                {text.end}
              </button>
            </Person>
          );
        })}
      </ul>
      <More more={more} isInCard />
      {ending && (
        <Confirm
          title={text.endTitle(ending.email)}
          help={text.endHelp}
          send={text.end}
          failed={text.endFailed}
          onSend={async () => {
            await removeWaiting(ending.id);
            say(text.ended(ending.email));
            reload();
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </>
  );
}
