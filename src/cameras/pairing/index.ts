export { endAccess, isPaired, PAIRINGS, type Pairing, pairingColumn } from "./access";
export { authenticateDevice } from "./authenticate";
export { DEVICE_SCHEME, forDevices, requireDevice } from "./guard";
