/** The type of bytes that a browser only saves. */
export const BYTES = "application/octet-stream";

/** One media type with its parameters (RFC 9110, 8.3.1). A comma would begin a second one, which browsers take. */
const MEDIA_TYPE = /^([a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+)(?:\s*;[^,\p{Cc}]*)?$/u;

/**
 * Types that a browser runs, applies to a page, or shows as a document with scripts: JavaScript by all its names (WHATWG
 * MIME Sniffing, 4.6) and other script languages, styles, HTML, everything in XML, such as SVG, modules of WebAssembly, web
 * bundles, and types of several parts.
 */
const ACTIVE: readonly RegExp[] = [
  /^[a-z]+\/(?:x-)?[a-z]*script[0-9.]*$/,
  /css|xsl|html/,
  /[/+]xml\b|\/xml-/,
  /wasm|webbundle|x-web-bundle|flash|x-component|cache-manifest|importmap|speculationrules|webappmanifest/,
  /^multipart\//,
];

/**
 * The type with which stored bytes of a stranger leave the service's origin: the stated one, or that of bytes to be saved
 * if a page could run, apply or show it.
 */
export function servedType(stated: string): string {
  const [, essence] = MEDIA_TYPE.exec(stated.trim().toLowerCase()) ?? [];
  return essence === undefined || ACTIVE.some((pattern) => pattern.test(essence)) ? BYTES : stated;
}
