import { COMMON } from "#texts/common.ts";
import { INBOX } from "#texts/inbox.ts";
import { number } from "#texts/language.ts";
import "./inbox.css";
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
  "database-level": "alert",
  "webhook-disabled": "alert",
};

/** The view of a notification's origin. */
const pathOf = ({ type, origin }: NotificationDto): string =>
  type.startsWith("organization-") ? settingsPath("deleted-organizations") : (origin?.url ?? SETTINGS);

/** Reads a page of the inbox. A cursor skips nothing when some are marked as read meanwhile. */
const readInbox = (show: string | null, cursor: string | undefined): Promise<Page<NotificationDto>> =>
  dataOf(
    api.GET("/v1/notifications", {
      params: {
        query: {
          limit: PAGE_SIZE,
          ...(cursor !== undefined && { cursor }),
          ...(show === "unread" && { unreadOnly: "true" }),
          ...(show === "archived" && { archived: "true" }),
        },
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

/** Marks what the page shows and what is older. A notification that arrives meanwhile stays unread. */
async function markAll(upToSeq: number, reload: () => void): Promise<void> {
  try {
    const marked = await dataOf(api.POST("/v1/notifications/read", { body: { all: true, upToSeq } }));
    unreadCount.value = marked.unreadCount;
    say(INBOX.marked);
    reload();
  } catch (thrown) {
    sayFailed(INBOX.markFailed, thrown);
  }
}

type Some = { body: { notificationIds: string[] } };

/** What a person does with one notification. */
const CHANGES = {
  unread: (some: Some) => api.POST("/v1/notifications/unread", some),
  archive: (some: Some) => api.POST("/v1/notifications/archive", some),
  unarchive: (some: Some) => api.POST("/v1/notifications/unarchive", some),
};

/** Changes one notification, and reads the list again. */
async function change(kind: keyof typeof CHANGES, { id }: NotificationDto, reload: () => void): Promise<void> {
  try {
    const changed = await dataOf(CHANGES[kind]({ body: { notificationIds: [id] } }));
    unreadCount.value = changed.unreadCount;
    reload();
  } catch (thrown) {
    sayFailed(INBOX.changeFailed, thrown);
  }
}

async function archive(note: NotificationDto, reload: () => void): Promise<void> {
  await change("archive", note, reload);
  say(INBOX.wasArchived, () => change("unarchive", note, reload));
}

/** What a person does with a notification beside opening it. */
function Actions({ note, reload }: { note: NotificationDto; reload: () => void }) {
  const button = (icon: IconName, label: string, onClick: () => Promise<void>) => (
    <button type="button" class="btn bare icon-only" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
  const name = note.body === "" ? note.title : COMMON.named(note.title, note.body);
  if (note.archivedAtUtc !== null)
    return button("undo", INBOX.unarchive(name), () => change("unarchive", note, reload));
  return (
    <>
      {note.isRead && button("mail", INBOX.markUnread(name), () => change("unread", note, reload))}
      {button("archive", INBOX.archive(name), () => archive(note, reload))}
    </>
  );
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
  const show = address.value.searchParams.get("show");
  const { items, more, error, slow, reload } = usePages(`inbox ${show}`, (cursor) => readInbox(show, cursor));
  const [newest] = items ?? [];
  useEvents(["NotificationReceived", "Stale"], [], useGathered(reload));
  const groups = Map.groupBy(items ?? [], dayGroup);
  return (
    <div class="page inbox">
      <header class="page-head">
        <h1 class="grow">{text.title}</h1>
        {unreadCount.value > 0 && newest !== undefined && show !== "archived" && (
          <button type="button" class="btn" onClick={() => markAll(newest.seq, reload)}>
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
        <a class="chip" href={INBOX_PATH} aria-current={show === null ? "page" : undefined}>
          {text.all}
        </a>
        <a class="chip" href={`${INBOX_PATH}?show=unread`} aria-current={show === "unread" ? "page" : undefined}>
          {text.unread}
          {unreadCount.value > 0 && <span class="nums">{number(unreadCount.value)}</span>}
        </a>
        <a class="chip" href={`${INBOX_PATH}?show=archived`} aria-current={show === "archived" ? "page" : undefined}>
          {text.archived}
        </a>
      </nav>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && <Waiting text={text.loading} />}
      {items?.length === 0 && (
        <div class="card frame">
          {show === "unread" && (
            <Calmly icon="check" title={text.noneUnread} help={text.noneUnreadHelp}>
              <a class="btn" href={INBOX_PATH}>
                {text.showAll}
              </a>
            </Calmly>
          )}
          {show === "archived" && <Calmly icon="archive" title={text.noneArchived} help={text.noneArchivedHelp} />}
          {show === null && <Calmly icon="bell" title={text.none} help={text.noneHelp} />}
        </div>
      )}
      {groups.size > 0 && (
        <div class="card notes">
          {[...groups].map(([group, notes]) => (
            <section key={group} aria-labelledby={`day-${group}`}>
              <h2 id={`day-${group}`}>{text.days[group]}</h2>
              <ul>
                {notes.map((note) => (
                  <li key={note.id} class="note-row">
                    <Note note={note} />
                    <Actions note={note} reload={reload} />
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
