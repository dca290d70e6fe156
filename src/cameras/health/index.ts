export { type Cause, causesBetween, causesWithin, conditionsBetween } from "./causes";
export { rememberSettings } from "./conditions";
export { watchCameras } from "./watch";
