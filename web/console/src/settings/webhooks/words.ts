import { COMMON } from "#texts/common.ts";
import { WEBHOOKS } from "#texts/webhooks.ts";
import type { Webhook } from "../../../../../client/src/index.ts";

export type WebhookType = Webhook["types"][number];

/** The types that a webhook can have, in the order of the form. */
export const TYPES: readonly WebhookType[] = [
  "document.uploaded",
  "document.created",
  "document.updated",
  "document.deleted",
  "annotation.created",
  "annotation.updated",
  "annotation.deleted",
  "report.created",
  "report.updated",
  "report.deleted",
  "report.printed",
  "location.created",
  "location.updated",
  "location.deleted",
  "camera.created",
  "camera.updated",
  "camera.deleted",
  "camera.silent",
  "camera.back",
  "capture.published",
  "capture.rejected",
  "export.ready",
  "member.added",
  "member.changed",
  "member.removed",
];

const halves = (type: string): [noun: string, verb: string] => {
  const [noun = "", verb = ""] = type.split(".");
  return [noun, verb];
};

/** The types by their group, in order. */
export const groupsOfTypes = (): [group: string, types: WebhookType[]][] => [
  ...Map.groupBy(TYPES, (type) => halves(type)[0]),
];

export const groupInWords = (group: string): string => WEBHOOKS.groups[group] ?? group;
export const verbInWords = (type: string): string => WEBHOOKS.verbs[halves(type)[1]] ?? type;

/** A type in words: "Documents: uploaded". */
export const typeInWords = (type: string): string =>
  type === "ping" ? WEBHOOKS.ping : COMMON.named(groupInWords(halves(type)[0]), verbInWords(type));

/** The fault of a try in words. */
export const faultInWords = (fault: string): string => WEBHOOKS.faults[fault] ?? WEBHOOKS.refused;
