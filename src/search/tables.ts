import { sql } from "drizzle-orm";
import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "../platform/db/sides";
import { LANGUAGES } from "./text";

/** Scopes that terms are posted under: a tenant, or a shared cluster, location or document. */
export const searchScopes = workspaceTable("search_scopes", {
  key: integer().primaryKey({ autoIncrement: true }),
  scopeId: text("scope_id").notNull(),
  posted: integer({ mode: "boolean" }).notNull().default(false),
});

export const ENTRY_TYPES = ["cluster", "location", "annotation", "document", "text"] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** The sums over some entries. */
const sums = () => ({
  rowCount: integer("row_count").notNull().default(0),
  passageCount: integer("passage_count").notNull().default(0),
  titleLength: integer("title_length").notNull().default(0),
  bodyLength: integer("body_length").notNull().default(0),
  /** The number of entries in each language. */
  englishCount: integer("english_count").notNull().default(0),
  germanCount: integer("german_count").notNull().default(0),
  frenchCount: integer("french_count").notNull().default(0),
  spanishCount: integer("spanish_count").notNull().default(0),
  italianCount: integer("italian_count").notNull().default(0),
  dutchCount: integer("dutch_count").notNull().default(0),
  swedishCount: integer("swedish_count").notNull().default(0),
  norwegianCount: integer("norwegian_count").notNull().default(0),
  danishCount: integer("danish_count").notNull().default(0),
  finnishCount: integer("finnish_count").notNull().default(0),
  portugueseCount: integer("portuguese_count").notNull().default(0),
  romanianCount: integer("romanian_count").notNull().default(0),
  hungarianCount: integer("hungarian_count").notNull().default(0),
  turkishCount: integer("turkish_count").notNull().default(0),
  greekCount: integer("greek_count").notNull().default(0),
  russianCount: integer("russian_count").notNull().default(0),
  arabicCount: integer("arabic_count").notNull().default(0),
  hebrewCount: integer("hebrew_count").notNull().default(0),
  persianCount: integer("persian_count").notNull().default(0),
});

/** The live entries of one type in one location or cluster, with sums over them. */
export const searchGroups = workspaceTable("search_groups", {
  key: integer().primaryKey({ autoIncrement: true }),
  tenantKey: integer("tenant_key").notNull(),
  placeId: text("place_id").notNull(),
  type: text({ enum: ENTRY_TYPES }).notNull(),
  ...sums(),
  /** The set of the languages of its entries. */
  languages: integer().notNull().default(0),
});

/** One indexed resource; `text` is one version of a document's passages. */
export const searchEntries = workspaceTable("search_entries", {
  key: integer().primaryKey({ autoIncrement: true }),
  groupKey: integer("group_key").notNull(),
  scopes: text().notNull().default("[]"),
  type: text({ enum: ENTRY_TYPES }).notNull(),
  resourceId: text("resource_id").notNull(),
  version: integer().notNull().default(0),
  title: text().notNull(),
  /** 0 while it is written, 2 while its document is in the trash. */
  live: integer().notNull(),
  titleLength: integer("title_length").notNull(),
  rowCount: integer("row_count").notNull(),
  passageCount: integer("passage_count").notNull(),
  bodyLength: integer("body_length").notNull(),
  languages: integer().notNull().default(1),
  run: text(),
  indexedAt: integer("indexed_at").notNull(),
});

/** Rows of the term index: a section of a text under its own id, any other entry under minus its key. */
export const searchRows = workspaceTable("search_rows", {
  id: integer().primaryKey(),
  entryKey: integer("entry_key").notNull(),
  resourceKey: integer("resource_key").notNull(),
  groupKey: integer("group_key").notNull(),
  titleLength: integer("title_length").notNull(),
  bodyLength: integer("body_length").notNull(),
  termCount: integer("term_count").notNull(),
  passageCount: integer("passage_count").notNull(),
  /** JSON array of the numbers of terms at which the passages of a section end, and then the parts of their compounds. */
  ends: text().notNull(),
});

/** The index of a guest with many grants in an organization. Its key is its scope. */
export const searchGuests = workspaceTable("search_guests", {
  key: integer().primaryKey(),
  userId: text("user_id").notNull(),
  organizationId: text("organization_id").notNull(),
  current: integer({ mode: "boolean" }).notNull().default(false),
  revision: integer().notNull().default(1),
  validUntil: integer("valid_until"),
  takenBy: text("taken_by"),
  takenUntil: integer("taken_until").notNull().default(0),
});

/** The resources that are posted in the index of a guest. */
export const searchGuestTargets = workspaceTable(
  "search_guest_targets",
  {
    targetId: text("target_id").notNull(),
    guestKey: integer("guest_key").notNull(),
    kinds: text().notNull(),
    state: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.targetId, t.guestKey] })],
);

/** The sums of all that a guest may see. */
export const searchGuestSums = workspaceTable(
  "search_guest_sums",
  {
    guestKey: integer("guest_key").notNull(),
    type: text({ enum: ENTRY_TYPES }).notNull(),
    tenantKey: integer("tenant_key").notNull(),
    ...sums(),
    languages: integer()
      .notNull()
      .generatedAlwaysAs(sql.raw(LANGUAGES.map((language, bit) => `((${language}_count > 0) << ${bit})`).join(" | "))),
  },
  (t) => [primaryKey({ columns: [t.guestKey, t.type] })],
);

/** One search and its results: the ids of each result and of its passages. */
export const searchImpressions = workspaceTable("search_impressions", {
  id: text().primaryKey(),
  userId: text("user_id").notNull(),
  term: text().notNull(),
  correctedTerm: text("corrected_term"),
  resultCount: integer("result_count").notNull(),
  results: text({ mode: "json" }).$type<string[][]>().notNull(),
  firstPosition: integer("first_position").notNull(),
  createdAt: integer("created_at").notNull(),
});

/** The organizations in whose statistics a search counts. */
export const searchImpressionOrganizations = workspaceTable(
  "search_impression_organizations",
  {
    organizationId: text("organization_id").notNull(),
    createdAt: integer("created_at").notNull(),
    searchId: text("search_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.createdAt, t.searchId] })],
);

/** One interaction with a result of a search. */
export const searchInteractions = workspaceTable("search_interactions", {
  id: text().primaryKey(),
  searchId: text("search_id").notNull(),
  action: text().notNull(),
  resultId: text("result_id"),
  rankPosition: integer("rank_position"),
  dwellMs: integer("dwell_ms"),
  reformulatedTerm: text("reformulated_term"),
  createdAt: integer("created_at").notNull(),
});
