export { type AddressFault, checkAddress, MAX_ADDRESS_LENGTH } from "./addresses";
export { judgeName } from "./names";
export { type Outside, type OutsideResult, openOutside } from "./outside";
