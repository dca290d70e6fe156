import { number } from "./language.ts";

const PRODUCT = "Document workspace";

/** The texts that every page uses. */
export const COMMON = {
  skip: "Skip to content",
  close: "Close",
  cancel: "Cancel",
  edit: "Edit",
  language: "Language",
  tryAgain: "Try again",
  loading: "Opening this page…",
  showMore: "Show more",
  toLocations: "Go to your locations",
  requestId: (id: string) => `Request ${id}`,
  copy: "Copy",
  copied: "Copied",
  unexpected: "Something went wrong. Try again.",
  moving: "The organization moves to another database, or a backup reads it. Nothing was changed. Try again soon.",
  unreachable: "The service does not answer. Check your connection and try again.",
  /** The object store refused a file. */
  notTaken: (reason: string | null, status: number, hasRequestId: boolean) => {
    const first = reason ?? `The object store did not take the file (answer ${status}).`;
    const again = `${first} Upload the file again.`;
    const toSay = "If that fails too, tell the operator of this service the name of the file and the time";
    return hasRequestId ? again : `${again} ${toSay}: the object store named no request.`;
  },
  product: PRODUCT,
  titleOf: (view: string) => `${view} · ${PRODUCT}`,
  undo: "Undo",
  /** The names on keys. */
  keys: {
    ctrl: "Ctrl",
    end: "End",
    enter: "Enter",
    esc: "Esc",
    home: "Home",
    remove: "Delete",
    shift: "Shift",
    space: "Space",
  },
  /** A name and what is said of it, for example "Opened: 4". */
  named: (name: string, value: string) => `${name}: ${value}`,
  lessThan: (share: string) => `less than ${share}`,
  moreThan: (share: string) => `more than ${share}`,
  /** Lengths of time. Each part is a whole number; a length has at most two of them. */
  length: {
    days: (count: number) => `${number(count)} d`,
    hours: (count: number) => `${count} h`,
    minutes: (count: number) => `${count} min`,
    none: "less than a minute",
  },
  viewFailed: "This page could not be fetched",
  viewChanged:
    "Its files could not be read: perhaps the service was updated, or the connection broke. Load the page again.",
  /** Time zones, which people choose by a city. */
  zone: {
    label: "Time zone, by city",
    now: (time: string) => `It is ${time} there now.`,
    city: (city: string, country: string) => `${city}, ${country}`,
  },
  browserLanguage: "Language of the browser",
  languageFailed: "Your language was not saved",
};
