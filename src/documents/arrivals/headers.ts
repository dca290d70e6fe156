import { addressParser, decodeWords } from "postal-mime";
import { canonicalEmail } from "../../platform/http/fields";
import { latin1 } from "../../platform/latin1";

/** A header field of a mail: its name in lower case, and its value on one line. */
type Field = readonly [name: string, value: string];

/** The facts in the headers of a mail that decide whether it is taken. */
export interface MailHeaders {
  /** The one address of `From`; null without exactly one. */
  from: string | null;
  subject: string;
  messageId: string | null;
  /** What the receiving server found about the sender. */
  authentication: Authentication;
  /** Whether a program has sent it (RFC 3834), or a list: nothing answers it. */
  isAutomatic: boolean;
  /** What repeated deliveries have in common in the headers. Servers add lines to the others. */
  identity: string;
}

/** `passed`: the domain of the sender vouches for the mail (DMARC). `unknown`: it says nothing about its mails. */
export type Authentication = "passed" | "failed" | "unknown";

/** Longest subject that is kept, characters. */
const MAX_SUBJECT_LENGTH = 200;

const fatalUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  try {
    return fatalUtf8.decode(bytes);
  } catch {
    return latin1(bytes);
  }
}

/** The position after the empty line that ends the headers; -1 if there is none yet. */
export function endOfHeaders(bytes: Uint8Array, from = 0): number {
  for (let at = bytes.indexOf(0x0a, from); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    if (bytes[at + 1] === 0x0a) return at + 2;
    if (bytes[at + 1] === 0x0d && bytes[at + 2] === 0x0a) return at + 3;
  }
  return -1;
}

function fieldsOf(head: Uint8Array): Field[] {
  return textOf(head)
    .replace(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/)
    .flatMap((line): Field[] => {
      const colon = line.indexOf(":");
      return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    });
}

/** A text on one line, without the characters that make one text look like another. */
export const oneLine = (text: string, length: number): string =>
  [
    ...text
      .toWellFormed()
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, " ")
      .replace(/ {2,}/g, " ")
      .trim(),
  ]
    .slice(0, length)
    .join("");

/** The results of an `Authentication-Results` field (RFC 8601), without its comments and quoted texts. */
const resultsOf = (value: string): string => {
  let text = value.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, " ");
  }
  return text.toLowerCase();
};

const resultOf = (results: string, method: string): string | undefined =>
  new RegExp(`(?:^|[;\\s])${method}\\s*=\\s*([a-z]+)`).exec(results)?.[1];

/**
 * What the receiving server found. It writes its field above those that came with the mail (RFC 8601, 5), so only the first one
 * counts. A domain without a DMARC record is judged by SPF.
 */
function authenticationOf(fields: readonly Field[]): Authentication {
  const first = fields.find(([name]) => /^(?:arc-)?authentication-results$/.test(name));
  if (first === undefined) return "unknown";
  const results = resultsOf(first[1].slice(0, 4_000));
  const dmarc = resultOf(results, "dmarc");
  if (dmarc === "pass") return "passed";
  if (dmarc === "fail") return "failed";
  return resultOf(results, "spf") === "fail" ? "failed" : "unknown";
}

/** An address as accounts have it. A tag that the sender's server put before it (BATV) does not belong to it. */
export const senderAddress = (text: string): string | null =>
  canonicalEmail(text.replace(/^<|>$/g, "").replace(/^(?:prvs|msprvs1)=[^=@]*=/i, ""));

function fromOf(fields: readonly Field[]): string | null {
  const all = fields.filter(([name]) => name === "from");
  if (all.length !== 1) return null;
  const [one, ...others] = addressParser((all[0]?.[1] ?? "").slice(0, 10_000));
  return one?.address === undefined || others.length > 0 ? null : senderAddress(one.address);
}

/** Reads the headers of a mail. @param head the bytes up to the empty line */
export function readHeaders(head: Uint8Array): MailHeaders {
  const fields = fieldsOf(head);
  const fieldOf = (wanted: string): string => fields.find(([name]) => name === wanted)?.[1] ?? "";
  const [, messageId = null] = /^(<[^<>\s]{1,900}>)/.exec(fieldOf("message-id")) ?? [];
  const submitted = fieldOf("auto-submitted").toLowerCase();
  const suppressed = fieldOf("x-auto-response-suppress").toLowerCase();
  return {
    from: fromOf(fields),
    subject: oneLine(decodeWords(fieldOf("subject").slice(0, 10_000)), MAX_SUBJECT_LENGTH),
    messageId,
    authentication: authenticationOf(fields),
    isAutomatic:
      (submitted !== "" && !/^no\b/.test(submitted)) ||
      (suppressed !== "" && suppressed !== "none") ||
      /^(?:bulk|junk|list|auto_reply)$/i.test(fieldOf("precedence")) ||
      fields.some(([name]) => name === "list-id" || name === "list-unsubscribe"),
    identity: JSON.stringify(["message-id", "date", "from", "subject"].map(fieldOf)),
  };
}
