export { mailSecondFactor } from "./notices";
export { beginSecondStep } from "./second-step";
