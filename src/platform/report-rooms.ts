/** The rooms of reports that are or were edited together. Reports without one are unknown to them. */
export interface ReportRooms {
  /** Writes what the room has and the report's row lacks. @returns the revision that was written, or null. */
  flush(reportId: string): Promise<number | null>;
  /** Whether anybody is in the room. */
  isOccupied(reportId: string): Promise<boolean>;
  /** Brings a draft that was replaced into its room, beside what people are editing. */
  merge(reportId: string): Promise<void>;
  /** Asks access again for all who are in these rooms, and sends away who lost it. */
  recheck(reportIds: readonly string[]): Promise<void>;
  /** Closes the rooms of deleted reports and forgets them. */
  end(reportIds: readonly string[]): Promise<void>;
}
