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
