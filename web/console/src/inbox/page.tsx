import { number } from "#texts/language.ts";
import "./inbox.css";
import { INBOX } from "#texts/inbox.ts";
import { dataOf, type NotificationDto, type Page } from "../../../../client/src/index.ts";
import { INBOX as INBOX_PATH, SETTINGS, settingsPath } from "../../../../src/platform/paths.ts";
import { clockOf, dayOf } from "../../../ui/format.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { More } from "../../../ui/more.tsx";
import { Alert, Calmly, say, sayFailed, Waiting } from "../../../ui/notice.tsx";
import { usePages } from "../../../ui/pages.ts";
import { useTitle } from "../../../ui/title.ts";
import { unreadCount, useEvents, useGathered } from "../platform/live/index.ts";
import { address } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { chooseOrganization } from "../platform/workspace.ts";

const PAGE_SIZE = 50;

const ICONS: Record<NotificationDto["type"], IconName> = {
  "document-uploaded": "file",
  "membership-given": "people",
  "grant-given": "pin",
  "report-pdf-ready": "text",
  "report-pdf-failed": "text",
  "storage-low": "alert",
  "storage-full": "alert",
  "export-ready": "download",
  "capture-rejected": "image",
  "camera-silent": "alert",
  "camera-back": "check",
  "organization-deleted": "trash",
  "organization-removed": "trash",
};

/** The view of a notification's origin. */
const pathOf = ({ type, origin }: NotificationDto): string =>
  type.startsWith("organization-") ? settingsPath("deleted-organizations") : (origin?.url ?? SETTINGS);

/** Reads a page of the inbox. A cursor skips nothing when some are marked as read meanwhile. */
const readInbox = (unreadOnly: boolean, cursor: string | undefined): Promise<Page<NotificationDto>> =>
  dataOf(
    api.GET("/v1/notifications", {
      params: {
        query: { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }), ...(unreadOnly && { unreadOnly: "true" }) },
      },
    }),
  );

/** Marks a notification as read. The view of its origin opens at the same time. */
function open({ id, isRead, origin }: NotificationDto): void {
  if (origin?.organizationId) chooseOrganization(origin.organizationId);
  if (isRead) return;
  dataOf(api.PATCH("/v1/notifications/{notificationId}/read", { params: { path: { notificationId: id } } })).then(
    ({ unreadCount: count }) => {
      unreadCount.value = count;
    },
    () => undefined,
  );
}

async function markAll(reload: () => void): Promise<void> {
  try {
    const marked = await dataOf(api.POST("/v1/notifications/read", { body: { all: true } }));
    unreadCount.value = marked.unreadCount;
    say(INBOX.marked);
    reload();
  } catch (thrown) {
    sayFailed(INBOX.markFailed, thrown);
  }
}

function Note({ note }: { note: NotificationDto }) {
  const created = new Date(note.createdAtUtc);
  const isToday = created.toDateString() === new Date().toDateString();
  return (
    <a class={note.isRead ? "note" : "note unread"} href={pathOf(note)} onClick={() => open(note)}>
      <span class={`icon ${note.severity}`}>
        <Icon name={ICONS[note.type]} />
      </span>
      <span>
        <b>{note.title}</b>
        <span class="small muted">{note.body}</span>
      </span>
      <time class="small quiet" dateTime={note.createdAtUtc}>
        {isToday ? clockOf(created) : dayOf(created)}
      </time>
      {!note.isRead && <span class="sr">{INBOX.isUnread}</span>}
    </a>
  );
}

const DAY_MS = 86_400_000;

function dayGroup({ createdAtUtc }: NotificationDto): keyof typeof INBOX.days {
  const day = new Date(createdAtUtc).toDateString();
  if (day === new Date().toDateString()) return "today";
  return day === new Date(Date.now() - DAY_MS).toDateString() ? "yesterday" : "earlier";
}

/** The notifications of the person, newest first. New ones appear by themselves. */
export default function Inbox() {
  const text = INBOX;
  useTitle(text.title);
  const unreadOnly = address.value.searchParams.get("show") === "unread";
  const { items, more, error, slow, reload } = usePages(`inbox ${unreadOnly}`, (cursor) =>
    readInbox(unreadOnly, cursor),
  );
  useEvents(["NotificationReceived", "Stale"], [], useGathered(reload));
  const groups = Map.groupBy(items ?? [], dayGroup);
  return (
    <div class="page inbox">
      <header class="page-head">
        <h1 class="grow">{text.title}</h1>
        {unreadCount.value > 0 && (
          <button type="button" class="btn" onClick={() => markAll(reload)}>
            <Icon name="check" />
            {text.markAll}
          </button>
        )}
        <a class="btn" href={settingsPath("notifications")}>
          <Icon name="gear" />
          {text.choose}
        </a>
      </header>
      <nav class="filters" aria-label={text.show}>
        <a class="chip" href={INBOX_PATH} aria-current={unreadOnly ? undefined : "page"}>
          {text.all}
        </a>
        <a class="chip" href={`${INBOX_PATH}?show=unread`} aria-current={unreadOnly ? "page" : undefined}>
          {text.unread}
          {unreadCount.value > 0 && <span class="nums">{number(unreadCount.value)}</span>}
        </a>
      </nav>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && <Waiting text={text.loading} />}
      {items?.length === 0 && (
        <div class="card frame">
          {unreadOnly ? (
            <Calmly icon="check" title={text.noneUnread} help={text.noneUnreadHelp}>
              <a class="btn" href={INBOX_PATH}>
                {text.showAll}
              </a>
            </Calmly>
          ) : (
            <Calmly icon="bell" title={text.none} help={text.noneHelp} />
          )}
        </div>
      )}
      {groups.size > 0 && (
        <div class="card notes">
          {[...groups].map(([group, notes]) => (
            <section key={group} aria-labelledby={`day-${group}`}>
              <h2 id={`day-${group}`}>{text.days[group]}</h2>
              <ul>
                {notes.map((note) => (
                  <li key={note.id}>
                    <Note note={note} />
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
      <More more={more} />
    </div>
  );
}
