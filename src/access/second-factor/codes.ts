import { randomBytes, sha256Hex } from "../../platform/crypto/bytes";

/** The digits of Crockford's base 32: no I, L, O and U, which people misread. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 80 bits: nobody finds a code from its hash by trying all of them. */
const CODE_DIGITS = 16;
const GROUP = /.{4}(?=.)/g;

/** A new recovery code: 80 random bits, in groups that people can read and type. */
export const newRecoveryCode = (): string =>
  Array.from(randomBytes(CODE_DIGITS), (byte) => DIGITS[byte & 31])
    .join("")
    .replace(GROUP, "$&-");

/** A code as it was typed, in the form that is hashed: Crockford's base 32 reads O as 0, and I and L as 1. */
const normalized = (typed: string): string =>
  typed.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");

/** The hash of a recovery code, which is all that the database stores. It names the person: one guess is for one account. */
export const hashRecoveryCode = (userId: string, typed: string): Promise<string> =>
  sha256Hex(`recovery-code\n${userId}\n${normalized(typed)}`);
