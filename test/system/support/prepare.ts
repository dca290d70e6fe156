/* What a suite with running services does before its files. */
export { prepareService as setup } from "../../../scripts/service/prepared.mjs";
