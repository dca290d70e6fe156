export {
  authenticateDevice,
  credentialRevoked,
  DEVICE_SCHEME,
  endAccess,
  forDevices,
  isLiveCredential,
  isPaired,
  PAIRINGS,
  type Pairing,
  pairingColumn,
  requireDevice,
} from "./credentials";
