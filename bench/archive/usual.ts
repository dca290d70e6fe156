import { Zip, ZipPassThrough } from "fflate";

/*
 * The way it is usually done: the images are read one after the other and packed while they are sent. The length
 * is not known before, and there are no ranges.
 */

interface Row {
  id: string;
  organization_id: string;
  operation_id: string;
}

interface Bindings {
  DB: D1Database;
  BUCKET: R2Bucket;
}

async function pack(env: Bindings, cameraId: string, limit: number, to: WritableStream<Uint8Array>): Promise<void> {
  const writer = to.getWriter();
  const written: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    written.push(chunk);
  });
  const flush = async () => {
    for (const chunk of written.splice(0)) await writer.write(chunk);
  };
  const { results } = await env.DB.prepare(
    "SELECT id, organization_id, operation_id FROM camera_captures WHERE camera_id = ? ORDER BY captured_at, id LIMIT ?",
  )
    .bind(cameraId, limit)
    .all<Row>();
  for (const { id, organization_id, operation_id } of results) {
    const object = await env.BUCKET.get(`captures/${organization_id}/${cameraId}/${operation_id}/original.jpg`);
    const member = new ZipPassThrough(`${id}.jpg`);
    zip.add(member);
    for await (const chunk of object?.body ?? []) {
      member.push(chunk);
      await flush();
    }
    member.push(new Uint8Array(0), true);
    await flush();
  }
  zip.end();
  await flush();
  await writer.close();
}

export default {
  async fetch(request, env, execution) {
    const query = new URL(request.url).searchParams;
    const { readable, writable } = new IdentityTransformStream();
    const limit = Number(query.get("limit") ?? 1_000_000);
    execution.waitUntil(pack(env, query.get("camera") ?? "", limit, writable).catch(() => {}));
    return new Response(readable, { headers: { "content-type": "application/zip" } });
  },
} satisfies ExportedHandler<Bindings>;
