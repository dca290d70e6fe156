/*
 * Addresses outside of the service that people name, such as those of webhooks. A request to one must never reach a network
 * of the operator, so only public names and public addresses are called (RFC 6890 and the registries of IANA).
 */

/** Why an address is not called. */
export type AddressFault = "malformed" | "scheme" | "credentials" | "port" | "local-name" | "not-public";

/** Most characters of an address. */
export const MAX_ADDRESS_LENGTH = 2_000;

/** The ports of `https` that are called. */
const PORTS: ReadonlySet<string> = new Set(["", "443", "8443"]);

/** Ends of names that only networks of their owners know, or that nobody may register (RFC 6761, RFC 6762, RFC 8375, RFC 9476). */
const LOCAL_ENDS: ReadonlySet<string> = new Set(
  "alt arpa corp example home internal intranet invalid lan local localdomain localhost mail onion private test".split(
    " ",
  ),
);

/** An IPv4 network: its first address as a number, and the bits of its prefix. */
type Network4 = readonly [first: number, bits: number];

const number4 = (text: string): number => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const network4 = (text: string): Network4 => {
  const [first = "", bits] = text.split("/");
  return [number4(first), Number(bits)];
};

/** Networks without public hosts (IANA IPv4 Special-Purpose Address Registry), and the host of Azure's metadata. */
const REFUSED_4: readonly Network4[] = (
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 " +
  "192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 " +
  "203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
)
  .split(" ")
  .map(network4);

const BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);

/** Whether an IPv4 address in dotted decimals is of a public host. Another form is not. */
export function isPublic4(text: string): boolean {
  if (!IPV4.test(text)) return false;
  const address = number4(text);
  return !REFUSED_4.some(
    ([first, bits]) => Math.floor(address / 2 ** (32 - bits)) === Math.floor(first / 2 ** (32 - bits)),
  );
}

/** The eight groups of an IPv6 address; null for a text that is none. */
function groupsOf(text: string): number[] | null {
  // The parser of addresses writes each IPv6 address in one form (RFC 5952), also with an IPv4 address at its end.
  const written = URL.parse(`https://[${text}]/`)?.hostname.slice(1, -1);
  if (written === undefined || !/^[0-9a-f:]+$/.test(written)) return null;
  const [head = "", tail] = written.split("::");
  const parse = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [left, right] = [parse(head), parse(tail ?? "")];
  return tail === undefined ? left : [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/** Networks of global unicast that have no public hosts, or that lead to an IPv4 address: first groups, and bits. */
const REFUSED_6: readonly (readonly [groups: readonly number[], bits: number])[] = [
  [[0x2001, 0x0000], 23], // Teredo, benchmarks, ORCHID and other protocols of the IETF
  [[0x2001, 0x0db8], 32], // documentation
  [[0x2002], 16], // 6to4
  [[0x2620, 0x004f, 0x8000], 48], // AS112
  [[0x3fff, 0x0000], 20], // documentation
];

const hasPrefix = (groups: readonly number[], prefix: readonly number[], bits: number): boolean =>
  Array.from({ length: Math.ceil(bits / 16) }, (_, n) => n).every((n) => {
    const shift = 16 - Math.min(16, bits - 16 * n);
    return (groups[n] ?? 0) >> shift === (prefix[n] ?? 0) >> shift;
  });

/**
 * Whether an IPv6 address is of a public host: global unicast (2000::/3) alone. So loopback, link-local, unique local, multicast,
 * IPv4-mapped and NAT64 addresses are not.
 */
export function isPublic6(text: string): boolean {
  const groups = groupsOf(text);
  if (groups === null || groups.length !== 8) return false;
  if (!hasPrefix(groups, [0x2000], 3)) return false;
  return !REFUSED_6.some(([prefix, bits]) => hasPrefix(groups, prefix, bits));
}

/** The host of an address: a name, or a public address that needs no question to the DNS. */
export interface CheckedAddress {
  url: URL;
  /** The name to resolve; null for a host that is an address itself. */
  name: string | null;
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** Whether a name of a host can be of a public host: several labels, the last of them no local one and no number. */
function isPublicName(name: string): boolean {
  const labels = name.split(".");
  const last = labels.at(-1) ?? "";
  if (labels.length < 2 || name.length > 253 || LOCAL_ENDS.has(last) || /^\d+$/.test(last)) return false;
  return labels.every((label) => LABEL.test(label));
}

/**
 * Checks the text of an address without asking the DNS. The parser writes every form of an IPv4 host (decimal, octal,
 * hexadecimal, short, other digits of Unicode) in dotted decimals, and names in Punycode.
 */
export function checkAddress(text: string): CheckedAddress | AddressFault {
  // The parser drops tabs, newlines and spaces at the ends, so that two texts would be one address.
  if (text.length > MAX_ADDRESS_LENGTH || /[\s\\\p{Cc}]/u.test(text)) return "malformed";
  const url = URL.parse(text);
  if (url === null) return "malformed";
  if (url.protocol !== "https:") return "scheme";
  if (url.username !== "" || url.password !== "") return "credentials";
  if (!PORTS.has(url.port)) return "port";
  const { hostname } = url;
  if (hostname.startsWith("[")) return isPublic6(hostname.slice(1, -1)) ? { url, name: null } : "not-public";
  if (IPV4.test(hostname)) return isPublic4(hostname) ? { url, name: null } : "not-public";
  return isPublicName(hostname) ? { url, name: hostname } : "local-name";
}
