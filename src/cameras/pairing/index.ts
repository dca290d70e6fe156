export {
  authenticateDevice,
  credentialRevoked,
  DEVICE_SCHEME,
  endAccess,
  forDevices,
  isLiveCredential,
  PAIRINGS,
  type Pairing,
  pairingColumn,
  requireDevice,
} from "./credentials";
