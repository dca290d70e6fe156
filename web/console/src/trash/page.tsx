import { useState } from "preact/hooks";
import { TRASH } from "#texts/trash.ts";
import { dataOf, type TrashItem } from "../../../../client/src/index.ts";
import { TRASH as TRASH_PATH } from "../../../../src/platform/paths.ts";
import { IconButton } from "../../../ui/buttons.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { say, sayFailed } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { TrashList } from "../../../ui/paged-list.tsx";
import { usePages } from "../../../ui/pages.ts";
import { useTitle } from "../../../ui/title.ts";
import { address } from "../platform/router.ts";
import { api, session } from "../platform/session.ts";
import { organization, organizationName, organizationQuery } from "../platform/workspace.ts";

const PAGE_SIZE = 50;
const DAY_MS = 86_400_000;
const KINDS = ["document", "location", "cluster", "report", "report-template"] as const;
const ICONS: Record<TrashItem["kind"], IconName> = {
  document: "file",
  location: "pin",
  cluster: "folder",
  report: "report",
  "report-template": "report",
};

/** Restores an item, as the route of its kind does. */
function restoreItem({ kind, id }: TrashItem) {
  switch (kind) {
    case "document":
      return dataOf(api.POST("/v1/documents/{documentId}/restore", { params: { path: { documentId: id } } }));
    case "location":
      return dataOf(api.POST("/v1/spatial/locations/{locationId}/restore", { params: { path: { locationId: id } } }));
    case "cluster":
      return dataOf(api.POST("/v1/spatial/clusters/{clusterId}/restore", { params: { path: { clusterId: id } } }));
    case "report":
      return dataOf(api.POST("/v1/reports/{reportId}/restore", { params: { path: { reportId: id } } }));
    case "report-template":
      return dataOf(api.POST("/v1/reports/templates/{template}/restore", { params: { path: { template: id } } }));
  }
}

/** Deletes an item permanently. */
function purgeItem({ kind, id }: TrashItem) {
  const query = { purge: true };
  switch (kind) {
    case "document":
      return dataOf(api.DELETE("/v1/documents/{documentId}", { params: { path: { documentId: id }, query } }));
    case "location":
      return dataOf(api.DELETE("/v1/spatial/locations/{locationId}", { params: { path: { locationId: id }, query } }));
    case "cluster":
      return dataOf(api.DELETE("/v1/spatial/clusters/{clusterId}", { params: { path: { clusterId: id }, query } }));
    case "report":
      return dataOf(api.DELETE("/v1/reports/{reportId}", { params: { path: { reportId: id }, query } }));
    case "report-template":
      return dataOf(api.DELETE("/v1/reports/templates/{template}", { params: { path: { template: id }, query } }));
  }
}

interface RowProps {
  item: TrashItem;
  reload: () => void;
  /** Asks for a confirmation before the permanent deletion; null if the person may not delete it. */
  onPurge: (() => void) | null;
}

function Row({ item, reload, onPurge }: RowProps) {
  const text = TRASH;
  const { kind, name, deletedAtUtc, deletedByName, purgeAtUtc } = item;
  const [restoring, setRestoring] = useState(false);
  const restore = async () => {
    setRestoring(true);
    try {
      await restoreItem(item);
      say(text.restored(name));
      reload();
    } catch (thrown) {
      sayFailed(text.restoreFailed, thrown);
      setRestoring(false);
    }
  };
  const daysLeft = Math.floor((Date.parse(purgeAtUtc) - Date.now()) / DAY_MS);
  return (
    <li>
      <Icon name={ICONS[kind]} />
      <span class="grow cutwords">
        <b class="strong">{name}</b>
        <br />
        <span class="small muted nums">
          {text.kind[kind]} · {text.deleted(timeOf(deletedAtUtc), deletedByName)} · {text.left(daysLeft)}
        </span>
      </span>
      <button type="button" class="btn" aria-label={text.restoreOne(name)} disabled={restoring} onClick={restore}>
        {text.restore}
      </button>
      {onPurge && <IconButton icon="trash" label={text.purge(name)} onPress={onPurge} />}
    </li>
  );
}

/** The deleted resources of the organization, with the remaining time to restore each. */
export default function Trash() {
  const text = TRASH;
  useTitle(text.title);
  const wanted = address.value.searchParams.get("kind");
  const kind = KINDS.find((one) => one === wanted);
  const organizationId = organizationQuery.value;
  const key = `${session.value?.user.id} ${organizationId} ${kind}`;
  const pages = usePages(key, (cursor) =>
    dataOf(
      api.GET("/v1/trash", {
        params: { query: { organizationId, limit: PAGE_SIZE, cursor, ...(kind && { kind }) } },
      }),
    ),
  );
  const [purging, setPurging] = useState<TrashItem | null>(null);
  // The owner of a personal workspace is its person.
  const isOwner = organization.value === null || organization.value.role === "owner";
  return (
    <>
      <div class="page">
        <PageHead title={text.title} lead={text.lead(organizationName.value)} />
        <nav class="filters" aria-label={text.show}>
          <a class="chip" href={TRASH_PATH} aria-current={kind === undefined ? "page" : undefined}>
            {text.kinds.all}
          </a>
          {KINDS.map((one) => (
            <a
              key={one}
              class="chip"
              href={`${TRASH_PATH}?kind=${one}`}
              aria-current={kind === one ? "page" : undefined}
            >
              {text.kinds[one]}
            </a>
          ))}
        </nav>
        <TrashList
          pages={pages}
          text={text}
          row={(item) => (
            <Row key={item.id} item={item} reload={pages.reload} onPurge={isOwner ? () => setPurging(item) : null} />
          )}
        />
      </div>
      {purging !== null && (
        <Confirm
          title={text.purgeTitle}
          help={text.purgeHelp(purging.name)}
          send={text.purgeSend}
          failed={text.purgeFailed}
          onSend={async () => {
            await purgeItem(purging);
            pages.reload();
          }}
          onClose={() => setPurging(null)}
        />
      )}
    </>
  );
}
