import { some } from "./common.ts";

/** The texts of the search. */
export const SEARCH = {
  open: "Search documents, places and notes",
  openShort: "Search",
  label: "Search",
  placeholder: "Search documents, places and notes",
  results: "Results",
  all: (term: string) => `All results for “${term}”`,
  keys: { move: "move", open: "open", close: "close" },
  page: (page: number) => `Page ${page}`,
  found: (count: number, more: boolean) => `${some(count, "result", "results")}${more ? ", and more" : ""}`,
  corrected: (term: string) => `Showing results for “${term}”.`,
  nothing: (term: string) => `Nothing for “${term}”`,
  nothingHelp: "Every word must occur. Try fewer words, or another form of a word.",
  everywhere: "Search everywhere",
  empty: "Search everything that you may see",
  emptyHelp: "Type words, “a phrase” in quotation marks, or -word to leave a word out.",
  where: "Where to search",
  here: (name: string) => `In ${name}`,
  anywhere: "Everywhere",
  failed: "The search did not work",
  kinds: {
    Document: "Document",
    DocumentContent: "Text of a document",
    Location: "Location",
    Cluster: "Cluster",
    SpatialMetadata: "Note",
  },
};
