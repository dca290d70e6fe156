import type { FreeJsonLimits } from "../platform/http/free-json";

/** A draft's JSON. Keys and depth bound what rendering and merging walk through. */
export const DRAFT_LIMITS = {
  largestBytes: 1_000_000,
  deepest: 32,
  mostKeys: 50_000,
  longestKey: 200,
} satisfies FreeJsonLimits;
/** A template's skeleton: the draft that a report begins with. */
export const SKELETON_LIMITS: FreeJsonLimits = { ...DRAFT_LIMITS, largestBytes: 128 * 1024 };
/** Largest request body of the report routes, bytes: a draft may be written with spaces and escapes. */
export const LARGEST_REPORT_BODY = 2 * 1024 * 1024;

/** Reports a location holds, and templates an organization or a person. */
export const MOST_REPORTS = 10_000;
export const MOST_TEMPLATES = 500;
