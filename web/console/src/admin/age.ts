import { JOBS } from "#texts/admin.ts";
import { roughLengthOf } from "../../../ui/format.ts";

const MINUTE_MS = 60_000;

/** A time that has passed, milliseconds, as words: "3 h ago". */
export const agoOf = (ms: number): string => (ms < MINUTE_MS ? JOBS.now : JOBS.ago(roughLengthOf(ms)));

/** The time since a moment: "3 h ago". */
export const ageOf = (utc: string): string => agoOf(Date.now() - Date.parse(utc));
