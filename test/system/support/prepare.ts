/* The steps of a suite with running services before its files. */
export { prepareService as setup } from "../../../scripts/service/prepared.mjs";
