import type { MissingImage } from "../images";

/** The words of the service on a page. */
export interface Labels {
  /** The tags of the dates of the language, by preference, if its own tag is not the first. */
  dates?: readonly string[];
  contents: string;
  date: string;
  preparedBy: string;
  revision: string;
  /** The texts before the number of a page, and between it and the number of pages. */
  page: readonly [string, string];
  yes: string;
  no: string;
  /** The states of a task. */
  done: string;
  open: string;
  footnotes: string;
  /** The name of the link from a footnote to its place in the text; `{0}` is its number. */
  backToReference: string;
  /** The lines for a signature; the date has its name above. */
  name: string;
  place: string;
  signature: string;
  pictureMissing: string;
  /** The reasons for missing pictures. Without them, the page shows the English reasons of the job. */
  reasons?: Readonly<Record<MissingImage["code"], string>>;
}
