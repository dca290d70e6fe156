import { env } from "cloudflare:workers";
import { zipSync } from "fflate";
import { type ByteSource, bytesSource } from "../../src/documents/extraction/extracted";

/**
 * Copies a row `count` times in one statement, so that a test reaches a maximum of thousands at once. The copies differ
 * in their ids.
 * @param differing SQL expressions of other columns that must differ; `i` is the number of the copy, from 1
 */
export async function copyRow(
  table: string,
  id: string,
  count: number,
  differing: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { results } = await env.DB.prepare(`SELECT name FROM pragma_table_xinfo('${table}') WHERE hidden = 0`).all<{
    name: string;
  }>();
  const values: Readonly<Record<string, string>> = { id: "printf('%08x', i) || substr(id, 9)", ...differing };
  const names = results.map(({ name }) => name);
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO ${table} (${names.join(", ")}) SELECT ${names.map((name) => values[name] ?? name).join(", ")}
     FROM n, ${table} WHERE id = ?1 AND ?2 > 0`,
  )
    .bind(id, count)
    .run();
}

const utf8 = (text: string) => new TextEncoder().encode(text);

/** An archive of these texts, which are stored and not packed. */
export const stored = (parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, utf8(text)])), { level: 0 });

/**
 * An archive whose entry `a` has this many zeros.
 * @param packed `size`: bytes of the whole archive, whose entry is packed then. Otherwise its bytes are never in memory
 *   together.
 */
export function zeros(count: number, packed?: { size: number }): ByteSource {
  const archive = zipSync(
    { a: new Uint8Array(packed === undefined ? 0 : count) },
    { level: packed === undefined ? 0 : 9 },
  );
  const central = archive.findLastIndex(
    (_, at) => archive[at] === 0x50 && archive[at + 1] === 0x4b && archive[at + 2] === 1,
  );
  if (packed !== undefined) {
    // The comment at the end of an archive has any length.
    const whole = new Uint8Array(packed.size);
    whole.set(archive);
    new DataView(whole.buffer).setUint16(archive.length - 2, packed.size - archive.length, true);
    return bytesSource(whole);
  }
  const look = new DataView(archive.buffer);
  for (const field of [20, 24]) look.setUint32(central + field, count, true);
  const [head, tail] = [archive.slice(0, central), archive.slice(central)];
  // The directory moves behind the zeros.
  new DataView(tail.buffer).setUint32(tail.length - 6, central + count, true);
  const sizeBytes = archive.length + count;
  return {
    sizeBytes,
    async read(offset, asked) {
      const bytes = new Uint8Array(Math.max(0, Math.min(asked, sizeBytes - offset)));
      for (const [part, from] of [
        [head, 0],
        [tail, central + count],
      ] as const) {
        const at = Math.max(0, from - offset);
        if (at < bytes.length) bytes.set(part.subarray(Math.max(0, offset - from)).subarray(0, bytes.length - at), at);
      }
      return bytes;
    },
  };
}
