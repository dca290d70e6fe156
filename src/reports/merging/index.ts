export { draftAt, keepBase } from "./bases";
export { Equality } from "./equality";
export { matchItems } from "./items";
export { longestIncreasing, newBudget } from "./sequences";
export { mergeThreeWays } from "./three-way";
