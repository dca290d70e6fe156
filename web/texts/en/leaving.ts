import { REMOVED_KINDS } from "../../../src/workspace/messages/en.ts";
import { number, some } from "./language.ts";

/** The texts of exports of an organization and of a person's own data. */
export const EXPORT = {
  organization: {
    title: "Export everything",
    lead: "One ZIP with all documents and their versions, reports, annotations and all other data. Its index.html opens without a network.",
  },
  own: {
    title: "Export your data",
    lead: "One ZIP with your profile, sessions, memberships, grants, notifications and your personal workspace.",
  },
  images: "With images of cameras",
  from: "From",
  to: "To",
  rangeHelp: "Both days are included, in the clock of this browser. An empty field is no limit.",
  wrongRange: "The first day is after the last one.",
  start: "Prepare the export",
  again: "Prepare a new export",
  failed: "The export was not started",
  readFailed: "The export could not be read",
  latest: "Latest export",
  statuses: {
    queued: "Waiting",
    preparing: "Being prepared",
    ready: "Ready",
    failed: "Failed",
    cancelled: "Cancelled",
    lost: "Not usable: a file of it was deleted",
    expired: "Expired",
  },
  requested: (time: string) => `Requested ${time}`,
  contents: { images: "With images", noImages: "Without images" },
  progress: (done: number, total: number) => `${number(done)} of ${number(total)} files and tables`,
  leavePage: "You can leave this page. A notification tells you when the export is ready.",
  files: (files: number) => some(files, "file", "files"),
  until: (time: string) => `It can be downloaded until ${time}.`,
  download: (size: string) => `Download the ZIP (${size})`,
  resume: "Your browser can continue an interrupted download.",
  cancel: "Cancel",
  remove: "Remove it",
  cancelled: "The export is cancelled.",
  removed: "The export is removed.",
  cancelFailed: "The export was not cancelled",
};

/** The texts of the list of deleted organizations. */
export const DELETED = {
  title: "Deleted organizations",
  lead: "The organizations that you owned. Until its time ends, each comes back with everything in it.",
  none: "No deleted organizations",
  noneHelp: "An organization that you delete waits here for some weeks, so that you can bring it back.",
  failed: "The deleted organizations could not be read",
  loading: "Reading the deleted organizations…",
  deleted: (time: string) => `deleted ${time}`,
  removal: (time: string) => `is removed ${time}`,
  removing: "Its contents are being removed. Nothing brings it back any more.",
  removed: (time: string) => `Everything was removed by ${time}.`,
  restore: "Restore",
  restoreOne: (name: string) => `Restore ${name}`,
  restored: (name: string) => `${name} is back.`,
  restoreFailed: "The organization was not restored",
  purge: (name: string) => `Remove ${name} now and forever`,
  purgeTitle: (name: string) => `Remove ${name} forever?`,
  purgeHelp: "Everything in it is removed now. Nobody can bring it back, not even an administrator of the service.",
  purgeSend: "Remove forever",
  purgeFailed: "The organization was not removed",
  purged: (name: string) => `The removal of ${name} has begun.`,
  receipt: (name: string) => `What ${name} contained`,
  kinds: REMOVED_KINDS as Readonly<Record<string, string>>,
  empty: "It was empty.",
};

/** The texts of the deletion of a person's account. */
export const ACCOUNT = {
  title: "Delete the account",
  lead: "Your sessions, tokens, memberships, grants and inbox end at once, and your personal workspace is removed. What you wrote for organizations stays, without your name and address.",
  ask: "Delete your account?",
  help: "This cannot be undone. Your personal workspace and everything in it is removed for good. You lose access to all organizations at once. What you wrote there stays, as of a deleted person.",
  password: "Password",
  passwordHelp: "To confirm that it is you.",
  links: "End the share links that I made",
  linksHelp: "Otherwise they stay for the people who have them.",
  send: "Delete the account for good",
  failed: "The account was not deleted",
  done: "Your account is deleted.",
};
