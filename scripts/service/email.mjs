import { domainToASCII } from "node:url";
import { Refusal } from "../setup/project.mjs";

/**
 * An address in the form in which accounts store it: `canonicalEmail` of src/platform/http/fields.ts.
 * @param {string} text
 * @param {string} usage of the command, for the refusal
 * @throws Refusal if it is none
 */
export function readEmail(text, usage) {
  const [, local = "", domain = ""] = /^(.*)@(.*)$/.exec(text.trim()) ?? [];
  const address = `${local.normalize("NFC").toLowerCase()}@${domainToASCII(domain)}`;
  if (address.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(address)) return address;
  throw new Refusal(`"${text}" is not an e-mail address. Usage: ${usage}`);
}
