import { type Packed, sendStreamed } from "./streamed";

/* A camera's export in the usual way, on the same database and bucket as the service's export. */

interface Row {
  id: string;
  organization_id: string;
  operation_id: string;
}

interface Bindings {
  DB: D1Database;
  BUCKET: R2Bucket;
}

async function* stored({ DB, BUCKET }: Bindings, cameraId: string, limit: number): AsyncIterable<Packed> {
  const { results } = await DB.prepare(
    "SELECT id, organization_id, operation_id FROM camera_captures WHERE camera_id = ? ORDER BY captured_at, id LIMIT ?",
  )
    .bind(cameraId, limit)
    .all<Row>();
  for (const { id, organization_id, operation_id } of results) {
    const object = await BUCKET.get(`captures/${organization_id}/${cameraId}/${operation_id}/original.jpg`);
    yield { name: `${id}.jpg`, body: object?.body ?? null };
  }
}

export default {
  async fetch(request, env, execution) {
    const query = new URL(request.url).searchParams;
    const { readable, writable } = new IdentityTransformStream();
    const limit = Number(query.get("limit") ?? 1_000_000);
    execution.waitUntil(sendStreamed(stored(env, query.get("camera") ?? "", limit), writable).catch(() => {}));
    return new Response(readable, { headers: { "content-type": "application/zip" } });
  },
} satisfies ExportedHandler<Bindings>;
