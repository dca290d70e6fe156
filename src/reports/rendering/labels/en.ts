import type { Labels } from "./labels";

export const LABELS: Labels = {
  dates: ["en-GB"],
  contents: "Contents",
  date: "Date",
  preparedBy: "Prepared by",
  revision: "Revision",
  page: ["Page ", " of "],
  yes: "Yes",
  no: "No",
  done: "Done",
  open: "Open",
  footnotes: "Footnotes",
  backToReference: "Back to reference {0}",
  name: "Name",
  place: "Place",
  signature: "Signature",
  pictureMissing: "Picture missing",
};
