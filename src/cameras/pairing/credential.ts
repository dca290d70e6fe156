/** Wire form of a camera's credential: `svccam1.<id without hyphens>.<64 hex>`. */
export const DEVICE_PREFIX = "svccam1";
const WIRE_FORM = /^svccam1\.([0-9a-f]{32})\.([0-9a-f]{64})$/;

export const writeCredential = (id: string, secret: string): string =>
  `${DEVICE_PREFIX}.${id.replaceAll("-", "")}.${secret}`;

/** Reads a bearer back into its id and secret; null for what is no camera's credential. */
export function readCredential(bearer: string): { id: string; secret: string } | null {
  const [, hex, secret] = WIRE_FORM.exec(bearer) ?? [];
  if (hex === undefined || secret === undefined) return null;
  return { id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"), secret };
}
