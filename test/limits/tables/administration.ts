import type { LimitTable } from "../row";

export const administrationLimits: LimitTable<typeof import("../../../src/administration/limits")> = {
  MAX_RERUN_JOBS: {
    page: "count | Requests | failed jobs that one request of an administrator runs again",
    held: "inputs",
  },
  MAX_COUNTED_JOBS: {
    page: "count | Requests | jobs of each kind that the counts of a queue read",
    held: "administration/administration.test.ts > cost a page of the list no more rows, and the counts at most their maximum",
  },
  MAX_COUNTED_OBJECTS: {
    page: "count | Requests | objects of a database that wait for their deletion, as the state of the service counts them",
    held: "administration/status.test.ts > counts the objects that wait for their deletion, up to a maximum",
  },
  NAME_READS: {
    fields: {
      names: {
        page: "count | Requests | names of organizations that a page of a search reads",
        unheld: "It bounds the work of one page, and the next page goes on: all pages together have the same names.",
      },
      ofStatement: { unheld: "It divides a page of names into statements and changes no result." },
    },
  },
};
