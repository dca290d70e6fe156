import { number, some } from "./language.ts";

/** The texts of folders. */
export const FOLDERS = {
  title: "Folders",
  create: "New folder",
  name: "Name",
  createHelp: "The folder is made in the folder that you see.",
  createFailed: "The folder was not made",
  created: (name: string) => `The folder “${name}” is ready.`,
  rename: (name: string) => `Rename the folder ${name}`,
  renameFailed: "The folder was not renamed",
  move: (name: string) => `Move the folder ${name}`,
  moveSend: "Move",
  into: "Move it into the folder",
  intoHelp: "Such as “inspections/2026”. Leave it empty for the top of the location.",
  moveFailed: "The folder was not moved",
  moved: (name: string) => `The folder “${name}” has moved.`,
  movedTo: (name: string, location: string) => `The folder “${name}” is at ${location} now.`,
  remove: (name: string) => `Delete the folder ${name}`,
  removed: (name: string, documents: number) =>
    documents === 0
      ? `The folder “${name}” is deleted.`
      : `The folder “${name}” is deleted. ${some(documents, "document is", "documents are")} in the trash.`,
  removeFailed: "The folder was not deleted",
  undone: (name: string) => `The folder “${name}” is as before.`,
  undoFailed: "The change was not undone",
  left: (count: number, reason: string) => `${some(count, "document stays", "documents stay")}: ${reason}`,
  stopped: "It stopped, because the location was deleted.",
  running: {
    move: (name: string) => `The folder “${name}” moves`,
    delete: (name: string) => `The folder “${name}” is being deleted`,
    restore: (name: string) => `The folder “${name}” comes back`,
  },
  progress: (done: number, total: number) => `${number(done)} of ${some(total, "document", "documents")}`,
  failed: "The folders could not be read",
};
