import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { number, sizeOf } from "#texts/language.ts";
import { DELETED } from "#texts/leaving.ts";
import { type DeletedOrganization, dataOf } from "../../../../client/src/index.ts";
import { IconButton } from "../../../ui/buttons.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { timeOf } from "../../../ui/format.ts";
import { say, sayFailed } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { TrashList } from "../../../ui/paged-list.tsx";
import { usePages } from "../../../ui/pages.ts";
import { api } from "../platform/session.ts";
import { readOrganizations } from "../platform/workspace.ts";

const PAGE_SIZE = 50;
const text = DELETED;

const params = ({ organizationId }: DeletedOrganization) => ({ path: { organizationId } });

/** What an organization contained when its removal began. */
function Receipt({ item: { name, contents } }: { item: DeletedOrganization }) {
  return (
    <details>
      <summary>{text.receipt(name)}</summary>
      {contents.length === 0 ? (
        <p class="small muted">{text.empty}</p>
      ) : (
        <dl class="pairs nums small">
          {contents.map(({ kind, count, bytes }) => (
            <Fragment key={kind}>
              <dt>{text.kinds[kind] ?? kind}</dt>
              <dd>
                {number(count)}
                {bytes !== null && ` (${sizeOf(bytes)})`}
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
    </details>
  );
}

interface RowProps {
  item: DeletedOrganization;
  reload: () => void;
  /** Asks before the removal; null if the person may not begin it. */
  onPurge: (() => void) | null;
}

/** The state in words: its end, or what happens now. */
function stateOf({ state, purgeAtUtc, removedAtUtc }: DeletedOrganization): string {
  if (state === "recoverable") return text.removal(timeOf(purgeAtUtc ?? ""));
  return state === "removing" || removedAtUtc === null ? text.removing : text.removed(timeOf(removedAtUtc));
}

function Row({ item, reload, onPurge }: RowProps) {
  const { name, state, deletedAtUtc } = item;
  const [restoring, setRestoring] = useState(false);
  const restore = async () => {
    setRestoring(true);
    try {
      await dataOf(api.POST("/v1/orgs/{organizationId}/restore", { params: params(item) }));
      await readOrganizations();
      say(text.restored(name));
      reload();
    } catch (thrown) {
      sayFailed(text.restoreFailed, thrown);
      setRestoring(false);
    }
  };
  return (
    <li class="wide">
      <span class="grow cutwords">
        <b class="strong">{name}</b>
        <br />
        <span class="small muted nums">
          {text.deleted(timeOf(deletedAtUtc))} · {stateOf(item)}
        </span>
        {state !== "recoverable" && <Receipt item={item} />}
      </span>
      {state === "recoverable" && (
        <button type="button" class="btn" aria-label={text.restoreOne(name)} disabled={restoring} onClick={restore}>
          {text.restore}
        </button>
      )}
      {state === "recoverable" && onPurge && <IconButton icon="trash" label={text.purge(name)} onPress={onPurge} />}
    </li>
  );
}

/** Deleted organizations with their state and their receipts. `all`: those of the whole service, for its administrators. */
export function DeletedOrganizations({ all }: { all: boolean }) {
  const pages = usePages(`deleted organizations ${all}`, (cursor) =>
    dataOf(api.GET("/v1/orgs/deleted", { params: { query: { limit: PAGE_SIZE, cursor, all } } })),
  );
  const [purging, setPurging] = useState<DeletedOrganization | null>(null);
  return (
    <>
      <TrashList
        pages={pages}
        text={text}
        row={(item) => (
          <Row
            key={item.organizationId}
            item={item}
            reload={pages.reload}
            onPurge={all ? null : () => setPurging(item)}
          />
        )}
      />
      {purging !== null && (
        <Confirm
          title={text.purgeTitle(purging.name)}
          help={text.purgeHelp}
          send={text.purgeSend}
          failed={text.purgeFailed}
          onSend={async () => {
            const path = { organizationId: purging.organizationId };
            await dataOf(api.DELETE("/v1/orgs/{organizationId}", { params: { path, query: { purge: true } } }));
            say(text.purged(purging.name));
            pages.reload();
          }}
          onClose={() => setPurging(null)}
        />
      )}
    </>
  );
}

/** The deleted organizations that the person owned. */
export const DeletedPart = () => (
  <>
    <PageHead title={text.title} lead={text.lead} />
    <DeletedOrganizations all={false} />
  </>
);
