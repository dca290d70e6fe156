import { some } from "./language.ts";

/** The texts of uploads. */
export const UPLOADS = {
  title: "Uploads",
  summary: (done: number, all: number) => `${done} of ${some(all, "file", "files")} uploaded`,
  failedSome: (failed: number) => `${some(failed, "file", "files")} not uploaded`,
  waiting: "Waiting",
  checking: "Computing the checksum",
  sending: (sent: string, total: string) => `${sent} of ${total}`,
  finishing: "Being checked",
  done: "Uploaded",
  cancelled: "Cancelled",
  offline: "No connection. It continues by itself.",
  paused: "Paused",
  pause: (name: string) => `Pause the upload of ${name}`,
  goOn: (name: string) => `Continue the upload of ${name}`,
  tryNow: (name: string) => `Try the upload of ${name} now`,
  unfinished: "Unfinished uploads",
  left: (sent: string, total: string) => `${sent} of ${total} are here.`,
  chooseAgain: "Choose the same file to continue",
  cancel: (name: string) => `Cancel the upload of ${name}`,
  retry: (name: string) => `Upload ${name} again`,
  progress: (name: string) => `Upload of ${name}`,
  clear: "Clear the list",
  cancelAll: "Cancel all",
  tooLarge: "The file has more than 2 GiB.",
  unreadable: "The browser cannot read this file. It may have changed: choose it again.",
};
