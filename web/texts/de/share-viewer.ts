import type * as first from "../en/share-viewer.ts";

export const SHARE_VIEWER: typeof first.SHARE_VIEWER = {
  title: "Freigegebene Kameras",
  opening: "Der Link wird geöffnet…",
  incomplete: "Dieser Link ist nicht vollständig.",
  incompleteHelp:
    "Öffnen Sie den ganzen Link, genau wie Sie ihn bekommen haben. Wenn er dann nicht geht, bitten Sie die Person, die ihn Ihnen gegeben hat, um einen neuen.",
  ended: "Dieser Link gilt nicht mehr.",
  endedHelp: "Bitten Sie die Person, die ihn Ihnen gegeben hat, um einen neuen.",
  empty: "Hier gibt es jetzt nichts zu sehen.",
  emptyHelp: "Die Kameras dieses Links gibt es nicht mehr.",
  passcode: {
    title: "Dieser Link hat ein Kennwort",
    label: "Kennwort",
    help: "Die Person, die Ihnen den Link geschickt hat, kennt es.",
    send: "Den Link öffnen",
    failed: "Der Link wurde nicht geöffnet",
  },
  cameras: "Kameras",
  all: "Alle Kameras",
  latest: (time) => `Neuestes Bild, ${time}`,
  theme: "Hell oder dunkel",
};
