/** Characters of a page that travel in one message. */
const PIECE = 512 * 1024;

/** The same text in pieces of at most 512 Ki characters; none ends inside a surrogate pair. */
export async function* pieces(html: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of html)
    for (let at = 0; at < text.length; ) {
      let end = Math.min(at + PIECE, text.length);
      const last = text.charCodeAt(end - 1);
      if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
      yield text.slice(at, end);
      at = end;
    }
}
