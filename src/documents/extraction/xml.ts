import { SaxesParser } from "saxes";
import { latin1 } from "../../platform/latin1";
import { breathe } from "../../platform/pace";
import { MAX_NESTING_DEPTH, MAX_TOKEN_LENGTH } from "../limits";
import { markedEncoding } from "./charset";
import { type Decoder, decoderOf, encodingNamed } from "./charsets";
import { damaged, tooLarge } from "./extracted";

export type Attributes = Readonly<Record<string, string>>;

/** Callbacks of the parser. Names have no namespace prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

const local = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Finds an attribute by its name without prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  for (const key of Object.keys(attributes)) if (key.endsWith(`:${name}`)) return attributes[key];
  return undefined;
}

/** The relationship id of an element: `r:id` or `r:embed`. A plain `id` is something else. */
export function relationshipId(attributes: Attributes): string | undefined {
  for (const key of Object.keys(attributes)) if (key.endsWith(":id") || key.endsWith(":embed")) return attributes[key];
  return undefined;
}

/** `hasDoctype`: the format allows a document type declaration. It declares no entities for this parser. */
interface XmlForm {
  hasDoctype?: boolean;
}

/**
 * Parses XML from chunks. It yields after each chunk, so that the caller can use the text that its handler collected. It
 * refuses a document type declaration, unless the format has one, and only the five entities of XML exist.
 * @throws Unreadable damaged, or too-large for a run of text above `MAX_TOKEN_LENGTH`.
 */
export async function* parseXml(
  bytes: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  { hasDoctype = false }: XmlForm = {},
): AsyncGenerator<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  let [depth, silent] = [0, 0];
  parser.on("error", (error) => {
    throw damaged("A part of the file is not well-formed.", error);
  });
  parser.on("doctype", () => {
    if (!hasDoctype)
      throw damaged("A part of the file has a document type declaration, which office programs do not write.");
  });
  parser.on("opentag", (tag) => {
    silent = 0;
    if (++depth > MAX_NESTING_DEPTH) throw damaged("The elements in a part of the file are nested too deep.");
    handler.open?.(local(tag.name), tag.attributes);
  });
  parser.on("closetag", (tag) => {
    silent = 0;
    depth--;
    handler.close?.(local(tag.name));
  });
  parser.on("text", (text) => {
    silent = 0;
    handler.text?.(text);
  });
  parser.on("cdata", (text) => {
    silent = 0;
    handler.text?.(text);
  });
  let decoder: Decoder | undefined;
  for await (const piece of bytes) {
    decoder ??= decoderOf(encodingOfXml(piece));
    for (const text of slices(decoder.decode(piece, { stream: true }))) {
      silent += text.length;
      if (silent > MAX_TOKEN_LENGTH)
        throw tooLarge("A part of the file contains a single run of text of more than 4 MiB.");
      parser.write(text);
      await breathe(text.length);
    }
    yield;
  }
  if (decoder === undefined) return;
  parser.write(decoder.decode()).close();
  yield;
}

const DECLARATION = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** The encoding of a part: from its byte-order mark or the zeros of UTF-16, else its declaration, else UTF-8. */
export function encodingOfXml(bytes: Uint8Array): string {
  const marked = markedEncoding(bytes);
  if (marked !== null) return marked;
  if (bytes[1] === 0 && bytes[0] !== 0) return "utf-16le";
  if (bytes[0] === 0 && bytes[1] !== 0) return "utf-16be";
  const declared = encodingNamed(DECLARATION.exec(latin1(bytes.subarray(0, 400)))?.[1]);
  return declared === null || declared.startsWith("utf-16") ? "utf-8" : declared;
}

const CHUNK_LENGTH = 64 * 1024;

function* slices(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += CHUNK_LENGTH) yield text.slice(at, at + CHUNK_LENGTH);
}

/** Parses XML to its end, for handlers that keep their result. */
export async function readXml(
  bytes: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  form: XmlForm = {},
): Promise<void> {
  for await (const _ of parseXml(bytes, handler, form));
}
