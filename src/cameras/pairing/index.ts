export { endAccess, isLiveCredential, isPaired, PAIRINGS, type Pairing, pairingColumn } from "./access";
export { authenticateDevice } from "./authenticate";
export { credentialRevoked, DEVICE_SCHEME, forDevices, requireDevice } from "./guard";
