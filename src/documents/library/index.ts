export { addDeletions, addMoves, addRestorations, documentNameTaken, nameKey, readNamed } from "./changes";
export { documentDeletion } from "./deletion";
export { requireTarget } from "./documents";
export { readable, requireVisible } from "./list";
