/** A picture that a report names and that is not shown, with the reason as people read it. */
export interface MissingImage {
  /** The path, or what else the draft says in its place. */
  image: string;
  code: "not-found" | "not-a-picture" | "damaged" | "too-large" | "too-many" | "being-prepared";
  detail: string;
}

/** A whole page: it runs no script and loads nothing, pictures are in it as data URLs. */
export interface RenderedReport {
  html: string;
  /** The report's title, for the PDF's own. */
  title: string;
  /** BCP 47 tag of the page's language. */
  language: string;
  missingImages: MissingImage[];
}
