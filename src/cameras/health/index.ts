export { type Cause, causesBetween, causesWithin, conditionsBetween, rememberSettings } from "./conditions";
export { watchCameras } from "./watch";
