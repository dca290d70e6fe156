import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  added: "Un document a été ajouté",
  newVersion: "Un document a une nouvelle version",
};
