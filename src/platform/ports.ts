import { describeFailure, log } from "./log";

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mail to people; says whether the mail service took it. */
export type Mailer = (mail: Mail) => Promise<boolean>;

/** The mailer over an Email Service binding, or null where the operator has bound none. */
export function openMailer(binding: SendEmail | undefined, from: string | undefined): Mailer | null {
  if (binding === undefined || from === undefined) return null;
  return async ({ to, subject, text }) => {
    try {
      await binding.send({ from, to, subject, text });
      return true;
    } catch (thrown) {
      log("error", "mail.failed", describeFailure(thrown));
      return false;
    }
  };
}

/** One live event of a location, before anybody's access is asked. */
export interface LocationEvent {
  target: "DocumentUploaded" | "StateUpdated" | "PositionChanged";
  payload: Record<string, unknown>;
  /** What a connection must hold Read of for this event, at the location or at this document in it. */
  requires: "LocationView" | "LocationBundles" | "LocationCameras" | "Documents" | "Reports";
  documentId: string | null;
}

export interface UserNotifications {
  userId: string;
  notificationIds: string[];
}

/**
 * Live delivery, as features below the hub know it. Everything given is already persisted; whoever
 * may not see it when it is sent does not get it. Failing to reach somebody is no error.
 */
export interface LiveDelivery {
  publish(locationId: string, events: LocationEvent[]): Promise<void>;
  notify(notifications: UserNotifications[]): Promise<void>;
  /** Looks again at what these people's connections may still do. */
  recheckUsers(userIds: string[]): Promise<void>;
  /** Looks again at everybody who joined one of these locations. */
  recheckLocations(locationIds: string[]): Promise<void>;
}

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

/** A page that is to become a PDF. */
export interface PageToPrint {
  /** The document's HTML in pieces, in order; pictures stand in it as `data:` addresses. */
  html: Iterable<string> | AsyncIterable<string>;
  /** The PDF's title where the HTML has none. */
  title: string;
  /** BCP 47 tag of the language where the HTML names none. */
  language: string;
  /** What the PDF says it was made at, milliseconds since the epoch: equal pages give equal bytes. */
  madeAt: number;
}

/** Something of a page that the paper does not take as it is. */
export interface PrintWarning {
  code: "table-very-small" | "too-wide";
  /** The first words of it. */
  at: string;
  detail: string;
}

export interface Printed {
  pdf: Uint8Array<ArrayBuffer>;
  warnings: PrintWarning[];
}

/** What went wrong with one page; asking again for the same one gives the same. */
export class PrintFailure extends Error {
  constructor(
    readonly code: "print-deadline" | "print-too-large" | "print-crashed",
    readonly detail: string,
  ) {
    super(`${code}: ${detail}`);
    this.name = "PrintFailure";
  }
}

/** Every browser is taken, or no more may be started now: the same call succeeds later. */
export class PrinterBusy extends Error {
  /** @param retryAfterMs time after which a try makes sense */
  constructor(readonly retryAfterMs: number) {
    super(`every browser is busy; again after ${retryAfterMs} ms`);
    this.name = "PrinterBusy";
  }
}

/** Turns pages into PDFs. Nothing leaves a page while it is laid out. */
export interface Printer {
  /**
   * Prints the page that `compose` gives once a browser is free: so few pages are held at once.
   * @throws what `compose` throws; PrintFailure, PrinterBusy, DomainError unavailable when there is no browser.
   */
  print(compose: () => Promise<PageToPrint>): Promise<Printed>;
}
