import { number } from "./language.ts";

/** The texts of the inbox. */
export const INBOX = {
  title: "Inbox",
  bell: (unread: number) => (unread === 0 ? "Inbox" : `Inbox, ${number(unread)} unread`),
  unreadCount: (unread: number) => `${number(unread)} unread`,
  markAll: "Mark all as read",
  marked: "All notifications are read.",
  markFailed: "The notifications were not marked",
  show: "Show",
  all: "All",
  unread: "Unread",
  isUnread: "unread",
  days: { today: "Today", yesterday: "Yesterday", earlier: "Earlier" },
  none: "Nothing has happened yet",
  noneHelp: "You read here when a document is added, a camera is silent, a report is ready or somebody shares a place.",
  noneUnread: "You have read everything",
  noneUnreadHelp: "New notifications appear here by themselves.",
  showAll: "Show all",
  failed: "The inbox could not be read",
  loading: "Reading your inbox…",
};
