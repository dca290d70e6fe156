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
  cancel: (name: string) => `Cancel the upload of ${name}`,
  retry: (name: string) => `Upload ${name} again`,
  progress: (name: string) => `Upload of ${name}`,
  clear: "Clear the list",
  cancelAll: "Cancel all",
  tooLarge: "The file has more than 100 MiB.",
  unreadable: "The browser cannot read this file. It may have changed: choose it again.",
};
