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
  choose: "Choose notifications",
};

/** The texts of the choice of notifications. */
export const PREFERENCES = {
  title: "Notifications",
  lead: "Choose what your inbox tells you. It concerns only you.",
  failed: "Your choices could not be read",
  loading: "Reading your choices…",
  saveFailed: "Your choice was not saved",
  saved: "Your choice is saved.",
  groups: { work: "Documents, reports and shares", cameras: "Cameras", storage: "Storage" },
  types: {
    "document-uploaded": "A document is added",
    "membership-given": "You become a member of an organization",
    "grant-given": "Somebody shares something with you",
    "report-pdf-ready": "A PDF of a report is ready",
    "report-pdf-failed": "A PDF of a report could not be made",
    "storage-low": "The storage is almost full",
    "storage-full": "The storage is full",
    "export-ready": "An export is ready",
    "capture-rejected": "A picture of a camera is rejected",
    "camera-silent": "A camera falls silent",
    "camera-back": "A camera sends pictures again",
    "organization-deleted": "An organization of yours is deleted",
    "organization-removed": "The contents of a deleted organization of yours are removed",
  },
};
