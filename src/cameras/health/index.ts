export {
  type Cause,
  causesBetween,
  causesWithin,
  conditionsBetween,
  conditionsOfCameras,
  recordSettings,
} from "./conditions";
export { watchCameras } from "./watch";
