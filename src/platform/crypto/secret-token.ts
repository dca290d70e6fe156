/** An id without hyphens back to its usual form. */
const withHyphens = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Writes and reads tokens in the form `<prefix>.<id without hyphens>.<64 hex characters of a secret>`. */
export function secretTokens(prefix: string) {
  const form = new RegExp(`^${prefix}\\.([0-9a-f]{32})\\.([0-9a-f]{64})$`);
  return {
    prefix,
    write: (id: string, secret: string): string => `${prefix}.${id.replaceAll("-", "")}.${secret}`,
    /** The id and the secret of a token; null for a text in another form. */
    read(token: string): { id: string; secret: string } | null {
      const [, hex, secret] = form.exec(token) ?? [];
      return hex === undefined || secret === undefined ? null : { id: withHyphens(hex), secret };
    },
  };
}
