import { useState } from "preact/hooks";
import { PEOPLE } from "#texts/people.ts";
import type { Cluster, Grant } from "../../../../client/src/index.ts";
import { clusterPath } from "../../../../src/platform/paths.ts";
import { AddButton } from "../../../ui/buttons.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { timeOf } from "../../../ui/format.ts";
import { say } from "../../../ui/notice.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { usePages } from "../../../ui/pages.ts";
import { session } from "../platform/session.ts";
import { grantsOf } from "./grants.ts";
import { inWords } from "./levels.tsx";
import { Person } from "./person.tsx";
import { type Shared, ShareForm } from "./share-form.tsx";
import { WaitingShares } from "./waiting.tsx";

function End({ at }: { at: string }) {
  const ended = Date.parse(at) <= Date.now();
  return <span class="chip nums">{(ended ? PEOPLE.ended : PEOPLE.until)(timeOf(at))}</span>;
}

interface SharesProps {
  title: string;
  of: Shared;
  /** Whether the person can change the shares here. */
  editable: boolean;
  /** The page where these shares are changed, if it is another page. */
  changedAt?: { href: string; label: string };
}

/** The people who have a share of a resource. */
export function Shares({ title, of, editable, changedAt }: SharesProps) {
  const text = PEOPLE;
  const { list, remove } = grantsOf(of.kind, of.id);
  const pages = usePages(`grants ${of.kind} ${of.id}`, list);
  const { items, reload } = pages;
  const [adding, setAdding] = useState(false);
  const [changing, setChanging] = useState<Grant | null>(null);
  const [removing, setRemoving] = useState<Grant | null>(null);
  const [changes, setChanges] = useState(0);
  const done = () => {
    setAdding(false);
    setChanging(null);
    setChanges((count) => count + 1);
    reload();
  };
  const titleId = `shares-${of.id}`;
  const ownId = session.value?.user.id;
  const seesOwnOnly = items !== undefined && items.length > 0 && items.every(({ userId }) => userId === ownId);
  return (
    <section class="card" aria-labelledby={titleId}>
      <header class="row wrap list-head">
        <h2 id={titleId} class="grow">
          {title}
        </h2>
        {changedAt && <a href={changedAt.href}>{changedAt.label}</a>}
        {editable && <AddButton label={text.add} onPress={() => setAdding(true)} />}
      </header>
      <PagedList
        pages={pages}
        failed={text.failed}
        loading={text.loading}
        none={text.none[of.kind]}
        row={(grant) => {
          const name = grant.displayName;
          return (
            <Person
              key={grant.id}
              name={name}
              email={grant.email}
              chips={grant.expiresAtUtc && <End at={grant.expiresAtUtc} />}
              say={inWords(grant.capabilities)}
            >
              {editable && (
                <button type="button" class="btn" aria-label={text.changeOf(name)} onClick={() => setChanging(grant)}>
                  {text.change}
                </button>
              )}
              {(editable || grant.userId === ownId) && (
                <button type="button" class="btn" aria-label={text.removeOf(name)} onClick={() => setRemoving(grant)}>
                  {text.remove}
                </button>
              )}
            </Person>
          );
        }}
      />
      {editable && <WaitingShares of={of} changes={changes} />}
      {!editable && seesOwnOnly && <p class="list-foot small muted">{text.ownOnly}</p>}
      {adding && <ShareForm of={of} grant={null} onDone={done} onClose={() => setAdding(false)} />}
      {changing && <ShareForm of={of} grant={changing} onDone={done} onClose={() => setChanging(null)} />}
      {removing && (
        <Confirm
          title={text.removeTitle(removing.displayName)}
          help={text.removeHelp}
          send={text.remove}
          failed={text.removeFailed}
          onSend={async () => {
            await remove(removing.id);
            say(text.removed(removing.displayName));
            reload();
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </section>
  );
}

/** The shares of the cluster of a place, beside the shares of the place. They are changed at the cluster. */
export function ClusterShares({ cluster: { id, name, capabilities } }: { cluster: Cluster }) {
  return (
    <Shares
      title={PEOPLE.byCluster(name)}
      of={{ kind: "cluster", id, levels: capabilities }}
      editable={false}
      changedAt={{ href: clusterPath(id), label: PEOPLE.toCluster }}
    />
  );
}
