/** The texts of the page of share links. */
export const SHARE_VIEWER = {
  title: "Shared cameras",
  opening: "Opening the link…",
  incomplete: "This link is not complete.",
  incompleteHelp:
    "Open the whole link, exactly as you got it. If it still does not work, ask the person who gave it to you for a new one.",
  ended: "This link has ended.",
  endedHelp: "Ask the person who gave it to you for a new one.",
  empty: "Nothing to see here now.",
  emptyHelp: "The cameras of this link are gone.",
  passcode: {
    title: "This link has a passcode",
    label: "Passcode",
    help: "The person who sent you the link has it.",
    send: "Open the link",
    failed: "The link was not opened",
  },
  cameras: "Cameras",
  all: "All cameras",
  latest: (time: string) => `Latest picture, ${time}`,
  theme: "Light or dark",
};
