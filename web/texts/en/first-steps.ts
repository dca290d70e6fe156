import { number } from "./language.ts";

/** The texts of the first steps of a new organization. */
export const FIRST_STEPS = {
  title: (name: string) => `First steps for ${name}`,
  progress: (done: number, all: number) => `${number(done)} of ${number(all)} done`,
  lead: "Each step has its button. The card goes when all four are done.",
  done: "Done",
  hide: "Hide these steps",
  hidden: "The steps are hidden.",
  needsPlace: "Make a location first.",
  steps: {
    place: {
      title: "A location",
      help: "A site, a building or a berth. Everything else belongs to one.",
      button: "New location",
    },
    documents: {
      title: "Documents",
      help: "Drop files on the page of the location. Search finds their text after a moment.",
      button: "Add documents",
    },
    people: {
      title: "People",
      help: "Members see the organization. Guests see only what you share with them.",
      button: "Add a person",
    },
    camera: {
      title: "A camera",
      help: "It sends a picture every few minutes, and its archive grows by itself.",
      button: "New camera",
    },
  },
};
