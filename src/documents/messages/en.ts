/** The notifications about documents. */
export const MESSAGES = {
  added: "A document was added",
  newVersion: "A document has a new version",
};
