export { draftAt, keepBase } from "./bases";
export { mergeThreeWays } from "./three-way";
