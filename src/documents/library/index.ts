export { addDeletions, addMoves, addRestorations, documentNameTaken, nameKey, readNamed } from "./changes";
export { documentDeletion } from "./deletion";
export { readable, requireVisible } from "./list";
