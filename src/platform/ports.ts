import type { CredentialRef } from "./caller";
import type { RecognitionLanguage } from "./languages/recognition";
import type { Frames } from "./pictures/drawn";

/** Reads a static file of this deployment by its path. Null if there is none. */
export type AssetReader = (path: string) => Promise<Uint8Array | null>;

export const openAssets =
  (binding: Fetcher): AssetReader =>
  async (path) => {
    const file = await binding.fetch(new URL(path, "http://assets.local"));
    return file.status === 200 ? new Uint8Array(await file.arrayBuffer()) : null;
  };

/** The objects that send lost jobs again, one for each database. */
export interface Sweepers {
  /**
   * When the last sweep of a database ended without a failure, milliseconds since the epoch. Null if there was none since the
   * object started: it starts again with each version, and after it was idle.
   */
  lastSweepAt(database: string): Promise<number | null>;
}

/** A resource of a location that an event is about. A camera is at all locations that have its images. */
export interface Subject {
  type: "annotation" | "document" | "camera" | "report";
  id: string;
}

/** A live event of a location, before access is checked for each connection. */
export interface LocationEvent {
  target: "DocumentUploaded" | "StateUpdated" | "PositionChanged" | "CapturePublished";
  payload: Record<string, unknown>;
  /** A connection needs Read of this capability, at the location or at `documentId` in it. */
  requires: "LocationView" | "LocationBundles" | "LocationCameras" | "Documents" | "Reports";
  documentId: string | null;
  /** The event is dropped when this is no longer at the location. Null if it need not be, as for a deletion. */
  subject: Subject | null;
  /** Events with a key are sent at most once an interval. If several events of one key wait, only the last is sent. */
  key?: string;
  /** The same each time the event is published. A repeat takes the place of the earlier one in what is kept for replay. */
  id?: string;
}

/** Events after a position. `sequence` is the position that they reach; `reload` says that earlier ones are missing. */
export interface KeptEvents {
  epoch: string;
  sequence: number;
  reload: boolean;
  hasMore: boolean;
  /** `payload` is JSON. */
  events: { target: LocationEvent["target"]; sequence: number; payload: string }[];
}

export interface UserNotifications {
  userId: string;
  notificationIds: string[];
}

/**
 * Live delivery, for features below the hub. Events are persisted before they are delivered. A connection gets an event
 * only if it has access at that moment. A connection that cannot be reached is no error.
 */
export interface LiveDelivery {
  /** Resolves when the events without a key are sent. */
  publish(locationId: string, events: LocationEvent[]): Promise<void>;
  notify(notifications: UserNotifications[]): Promise<void>;
  /**
   * Reads the kept events of a location after a position that a credential may see now, the oldest first, and keeps events for later
   * calls. @returns null if the credential may not see the location
   */
  changes(
    locationId: string,
    credential: CredentialRef,
    since: { epoch: string; after: number } | null,
    limit: number,
  ): Promise<KeptEvents | null>;
  /** Checks the access of these users' connections again. */
  recheckUsers(userIds: string[]): Promise<void>;
  /** Checks the access of all connections that joined one of these locations again. */
  recheckLocations(locationIds: string[]): Promise<void>;
}

/** The rooms of reports that people edit together. A report without a room is ignored. */
export interface ReportRooms {
  /** Writes the room's unsaved changes to the report. @returns the new revision; null if nothing was written. */
  flush(reportId: string): Promise<number | null>;
  /** Whether a member is connected to the room. */
  isOccupied(reportId: string): Promise<boolean>;
  /** Merges a replaced draft into its room, with the edits of its members. */
  merge(reportId: string): Promise<void>;
  /** Checks the access of all members of these rooms again, and disconnects the members who lost it. */
  recheck(reportIds: readonly string[]): Promise<void>;
  /** Closes the rooms of deleted reports and deletes their data. */
  end(reportIds: readonly string[]): Promise<void>;
}

/** A page to print as a PDF. */
export interface PageToPrint {
  /** The HTML of the page, in consecutive pieces. Pictures are `data:` addresses. */
  html: Iterable<string> | AsyncIterable<string>;
  /** The title of the PDF if the HTML has none. */
  title: string;
  /** The language (BCP 47) if the HTML names none. */
  language: string;
  /** The creation time in the PDF, milliseconds since the epoch. Equal pages give equal bytes. */
  madeAt: number;
  /** A file that the PDF has in it: what the page shows, as JSON. */
  data?: { fileName: string; description: string; json: string };
}

/** Why a part of a page does not print as it is written. */
export const PRINT_WARNINGS = [
  "table-very-small",
  "too-wide",
  "too-tall",
  "missing-glyphs",
  "picture-damaged",
  "css-without-effect",
  "link-without-target",
  "page-number-wrong",
  "not-accessible",
  "not-archivable",
  "value-not-a-number",
  "value-not-a-date",
  "partial-missing",
  "partial-too-deep",
  "orientation-without-effect",
  "data-not-attached",
] as const;

/** A part of a page that does not fit the paper, or that no font draws. */
export interface PrintWarning {
  code: (typeof PRINT_WARNINGS)[number];
  /** The first words of the part. */
  at: string;
  detail: string;
}

export interface Printed {
  pdf: Uint8Array<ArrayBuffer>;
  warnings: PrintWarning[];
}

/** A permanent failure of one page: another try of the same page fails in the same way. */
export class PrintFailure extends Error {
  constructor(
    readonly code: "print-deadline" | "print-too-large" | "print-crashed",
    readonly detail: string,
  ) {
    super(`${code}: ${detail}`);
    this.name = "PrintFailure";
  }
}

/** All browsers are in use, and none can be started now. The same call can succeed later. */
export class BrowsersBusy extends Error {
  /** @param retryAfterMs time to wait before the next try, milliseconds */
  constructor(readonly retryAfterMs: number) {
    super(`all browsers are busy; try again after ${retryAfterMs} ms`);
    this.name = "BrowsersBusy";
  }
}

/** A document whose pages are pictures: a PDF or one picture. */
export interface ScannedDocument {
  isPdf: boolean;
  /** The pages of a HEIC or TIFF file, in which only the page of the browser decodes pictures. */
  frames?: Frames;
  sizeBytes: number;
  /** The languages in which text is recognized; absent: the usual ones. */
  languages?: readonly RecognitionLanguage[];
  /** Reads a range of its bytes. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

export interface RecognizedWord {
  text: string;
  /** Left, top, width and height, pixels of the page's picture. */
  box: [number, number, number, number];
  /** 0 to 100. */
  confidence: number;
  /** Block, paragraph and line: `1.2.3`. */
  line: string;
}

export interface RecognizedPage {
  /** From 1. */
  page: number;
  /** Size of the upright picture that the words' positions refer to, pixels. */
  width: number;
  height: number;
  words: RecognizedWord[];
  outcome: PageOutcome;
}

/** `blank`: the page has nothing to recognize. `deadline`, `crashed` and `broken`: it could not be read. */
export const PAGE_OUTCOMES = ["recognized", "blank", "deadline", "crashed", "broken"] as const;
export type PageOutcome = (typeof PAGE_OUTCOMES)[number];

/** The browser cannot open the document. */
export interface RefusedDocument {
  kind: "refused";
  status: "damaged" | "encrypted" | "unsupported";
}

/** The first of the asked pages, at least one; or the reason why the document cannot be opened. */
export type Recognition = { kind: "pages"; pages: RecognizedPage[] } | RefusedDocument;

/** The own text of a page, in paragraphs; null if it cannot be read. */
export interface PageText {
  /** From 1. */
  page: number;
  paragraphs: string[] | null;
}

/** The own text of some consecutive pages, at least one. */
export type PdfText = { kind: "pages"; pageCount: number; pages: PageText[] } | RefusedDocument;

/** A page as a JPEG, with the size of the upright original; null if it could not be drawn. */
export interface DrawnPage {
  /** From 1. */
  page: number;
  drawn: { jpeg: Uint8Array; width: number; height: number } | null;
}

/** The first of the asked pages, at least one; or the reason why the file cannot be opened. */
export type Drawing = { kind: "pages"; pages: DrawnPage[] } | RefusedDocument;

/** Reads documents in a browser without a network. */
export interface Recognizer {
  /** Whether the operator has switched recognition on. */
  readonly isOn: boolean;
  /**
   * Recognizes the text of pages (ascending, from 1), fewer than asked if they take long.
   * @throws BrowsersBusy, DomainError unavailable, and the errors of `document.read`
   */
  recognize(document: ScannedDocument, pages: readonly number[]): Promise<Recognition>;
  /**
   * Reads the embedded text of a PDF's pages from page `from`, without recognition. The PDF can have any size, because
   * the browser reads only the ranges that it needs. Throws like `recognize`.
   */
  readText(pdf: ScannedDocument, from: number): Promise<PdfText>;
  /**
   * Draws pages (ascending, from 1) of a PDF, HEIC or TIFF file as JPEGs, fewer than asked if they take long. Throws like
   * `recognize`.
   */
  draw(document: ScannedDocument, pages: readonly number[]): Promise<Drawing>;
}

/** Prints pages as PDFs. A page cannot reach the network while it is laid out. */
export interface Printer {
  /**
   * Prints a page. `compose` runs when a browser is free, so few pages are in memory at once.
   * @throws PrintFailure, BrowsersBusy, DomainError unavailable without a browser, and the errors of `compose`
   */
  print(compose: () => Promise<PageToPrint>): Promise<Printed>;
}
