import type { EntryType } from "./tables";

/** What is found and hidden together, under one capability. */
export const KINDS = ["document", "location", "cluster", "annotation"] as const;
export type Kind = (typeof KINDS)[number];

/** The letter between scope and word in the terms of a kind, and the one in the words of its names. */
export const LETTERS: Readonly<Record<Kind, { word: string; name: string }>> = {
  document: { word: "d", name: "w" },
  location: { word: "l", name: "x" },
  cluster: { word: "c", name: "y" },
  annotation: { word: "a", name: "z" },
};

export const kindOf = (type: EntryType): Kind => (type === "text" ? "document" : type);
