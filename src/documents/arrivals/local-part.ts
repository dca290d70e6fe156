import { randomBytes } from "../../platform/crypto/bytes";
import { numberOf } from "../../platform/ids";

/*
 * The part of an address before the @: five characters with the number of the workspace, so that a mail finds its database, and
 * twenty random ones (100 bits). Mail servers may write it in any case, so it has one case and no characters that people mix up
 * (the alphabet of Crockford's base 32).
 */

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const NUMBER_CHARACTERS = 5;
const RANDOM_CHARACTERS = 20;
const FORM = new RegExp(`^[${ALPHABET}]{${NUMBER_CHARACTERS + RANDOM_CHARACTERS}}$`);

/** Makes the local part of a new address of a workspace. */
export function newLocalPart(workspaceId: string): string {
  const number = numberOf(workspaceId);
  const place = Array.from({ length: NUMBER_CHARACTERS }, (_, n) => ALPHABET[(number >>> (5 * n)) & 31]);
  return [...place, ...Array.from(randomBytes(RANDOM_CHARACTERS), (byte) => ALPHABET[byte & 31])].join("");
}

/** The local part of an address of this domain, and the number of its workspace. Null for any other address. */
export function readRecipient(recipient: string, domain: string): { localPart: string; number: number } | null {
  const address = recipient.trim().toLowerCase();
  const at = address.lastIndexOf("@");
  const localPart = address.slice(0, at);
  if (at < 0 || address.slice(at + 1) !== domain || !FORM.test(localPart)) return null;
  const digits = Array.from(localPart.slice(0, NUMBER_CHARACTERS), (one) => ALPHABET.indexOf(one));
  return { localPart, number: digits.reduceRight((number, digit) => number * 32 + digit, 0) };
}
