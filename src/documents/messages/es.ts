import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  added: "Se añadió un documento",
  newVersion: "Un documento tiene una versión nueva",
};
