import { NEWER_PERSON, people } from "../access/tables";
import { carried } from "../platform/db/carry/declare";
import { searchImpressionOrganizations, searchImpressions, searchInteractions } from "./tables";

const LINKS = "search_impression_organizations AS link";
const where = (workspace: string) => `link.organization_id = ${workspace}`;

/** Searches that count for an organization. The index is not carried: it is built again from the other tables. */
export const searchTables = [
  // Who searched may have left since.
  carried(people, {
    part: "searches",
    replaced: NEWER_PERSON,
    from: (workspace) => `(SELECT DISTINCT impression.user_id AS person
      FROM ${LINKS} CROSS JOIN search_impressions AS impression ON impression.id = link.search_id
      WHERE link.organization_id = ${workspace}) AS found CROSS JOIN people AS row ON row.id = found.person`,
  }),
  carried(searchImpressions, {
    from: `${LINKS} CROSS JOIN search_impressions AS row ON row.id = link.search_id`,
    where,
    key: ["link.created_at", "link.search_id"],
  }),
  carried(searchImpressionOrganizations, {
    where: (workspace) => `row.organization_id = ${workspace}`,
    key: ["row.created_at", "row.search_id"],
  }),
  carried(searchInteractions, {
    from: `${LINKS} CROSS JOIN search_interactions AS row ON row.search_id = link.search_id`,
    where,
    key: ["link.created_at", "link.search_id", "row.id"],
  }),
];

const COUNTS_FOR_NONE = (search: string) =>
  `NOT EXISTS (SELECT 1 FROM search_impression_organizations AS link WHERE link.search_id = ${search})`;

/** Searches that count for no organization. */
export const searchOfService = [
  carried(searchImpressions, { part: "service", where: COUNTS_FOR_NONE("row.id") }),
  carried(searchInteractions, { part: "service", where: COUNTS_FOR_NONE("row.search_id") }),
];
