export { type Cause, causesBetween, causesWithin, conditionsBetween, recordSettings } from "./conditions";
export { watchCameras } from "./watch";
