import { some } from "./language.ts";

/** The texts of the trash. */
export const TRASH = {
  title: "Trash",
  lead: (name: string) =>
    `Deleted documents, locations, clusters, reports and templates of ${name}. They are removed when their time ends.`,
  show: "Show",
  kinds: {
    all: "All",
    document: "Documents",
    location: "Locations",
    cluster: "Clusters",
    report: "Reports",
    "report-template": "Templates",
  },
  kind: {
    document: "Document",
    location: "Location",
    cluster: "Cluster",
    report: "Report",
    "report-template": "Template",
  },
  left: (days: number) => (days < 1 ? "less than a day left" : `${some(days, "day", "days")} left`),
  deleted: (time: string, by: string | null) => (by === null ? `deleted ${time}` : `deleted ${time} by ${by}`),
  restore: "Restore",
  restoreOne: (name: string) => `Restore ${name}`,
  restored: (name: string) => `“${name}” is back.`,
  restoreFailed: "It was not restored",
  purge: (name: string) => `Delete ${name} now and forever`,
  purgeTitle: "Delete forever?",
  purgeHelp: (name: string) => `“${name}” and everything in it is removed now. This cannot be undone.`,
  purgeSend: "Delete forever",
  purgeFailed: "It was not removed",
  none: "The trash is empty",
  noneHelp: "What you delete stays here for some weeks, so that you can bring it back.",
  failed: "The trash could not be read",
  loading: "Reading the trash…",
};
