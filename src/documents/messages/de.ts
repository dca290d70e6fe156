import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  added: "Ein Dokument wurde hinzugefügt",
  newVersion: "Ein Dokument hat eine neue Version",
};
