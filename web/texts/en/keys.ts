/** The texts of the list of keys. */
export const KEYS = {
  title: "Keys",
  single: "Keys of one character are on",
  archive: "An archive has its own keys: press ? there.",
  groups: {
    everywhere: "Everywhere",
    search: "Search",
    documents: "A document",
    reports: "A report",
    cameras: "The wall of cameras",
  },
  lines: {
    search: "Search everything",
    keys: "These keys",
    close: "Close a window",
    result: "Another result",
    preview: "Show the preview",
    open: "Open the result",
    page: "Another page",
    wallPage: "Another page in the control room",
    tool: "Another tool of the toolbar",
    undo: "Take the last edit back",
    redo: "Do it again",
  },
};
