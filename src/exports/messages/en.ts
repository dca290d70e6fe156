import { number } from "../../platform/languages/en";

/** The notification about an export, and the texts of the pages in its ZIP. */
export const MESSAGES = {
  ready: "An export is ready to download",
  ownData: "Your own data",
  made: (day: string) => `Exported on ${day} (UTC)`,
  search: "Search the names of the documents",
  documents: "Documents",
  images: "Images of cameras, by days",
  name: "Name",
  bytes: "Bytes",
  date: "Date (UTC)",
  rows: "Everything else",
  rowsHelp:
    "The folder data has the rows of the service, such as reports, annotations and members: one JSON object a line. data/schema.json describes them.",
  missing: (count: number) => `${number(count)} files do not exist in the service any more.`,
};
