import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { documents, recognizedPages } from "../../src/documents/tables";
import { call } from "../support/call";
import { announce, putBytes, startUpload, uploadDocument } from "../support/documents";
import { mintLocation } from "../support/factories";
import { systemContext } from "../support/jobs";
import { eventually } from "../support/patience";
import type { Built, RouteRow } from "./row";
import { named, SECRET, type World } from "./world";

const file = { fileName: `${SECRET}.txt`, bytes: "A sentence that is found again." };

const onLocation = async (world: World) => ({ params: { locationId: (await mintLocation(world.tenant, named)).id } });

async function onDocument(world: World): Promise<Built> {
  const { id } = await mintLocation(world.tenant, named);
  return { params: { documentId: (await uploadDocument(world.owner.token, id, file)).id } };
}

/** A document with the words of one recognized page. */
async function onScan(world: World): Promise<Built> {
  const built = await onDocument(world);
  const documentId = built.params?.documentId ?? "";
  const { workspace: db } = systemContext();
  let version = 0;
  await eventually(async () => {
    const [row] = await db.select().from(documents).where(eq(documents.id, documentId));
    version = row?.textVersion ?? 0;
    expect(version).toBe(1);
  });
  const objectKey = `${documentId}/words.json`;
  await env.BUCKET.put(objectKey, JSON.stringify({ width: 9, height: 9, words: [[SECRET, 1, 1, 4, 2, 90]] }));
  const text = { objectKey, words: 1, confidence: 90, language: "en", passages: 1 };
  const page = { documentId, version, page: 1, outcome: "recognized" as const, ...text };
  await db.insert(recognizedPages).values(page);
  return { ...built, params: { ...built.params, page: "1" } };
}

export const documentRoutes: readonly RouteRow[] = [
  {
    route: "GET /v1/spatial/locations/:locationId/documents",
    who: { needs: { Documents: "Read" } },
    request: onLocation,
    status: 200,
    list: true,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/documents/upload-start",
    who: { needs: { Documents: "Write" } },
    request: async (world) => ({ ...(await onLocation(world)), body: await announce(file) }),
    status: 201,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/documents/upload-complete",
    answersAnew: true,
    who: { needs: { Documents: "Write" } },
    request: async (world) => {
      const { params } = await onLocation(world);
      const started = await startUpload(world.owner.token, params.locationId, file);
      await putBytes(started, file.bytes);
      return { params, body: { uploadId: started.uploadId }, places: [started.uploadId] };
    },
    status: 200,
  },
  {
    route: "DELETE /v1/spatial/locations/:locationId/documents/uploads/:uploadId",
    who: { needs: { Documents: "Write" } },
    request: async (world) => {
      const { params } = await onLocation(world);
      const { uploadId } = await startUpload(world.owner.token, params.locationId, file);
      return { params: { ...params, uploadId } };
    },
    status: 204,
    audited: [],
  },
  {
    route: "GET /v1/documents/:documentId",
    who: { needs: { Documents: "Read" } },
    request: onDocument,
    status: 200,
  },
  {
    route: "PATCH /v1/documents/:documentId",
    who: { needs: { Documents: "Write" } },
    request: async (world) => ({ ...(await onDocument(world)), body: { path: "another" } }),
    status: 200,
  },
  {
    route: "DELETE /v1/documents/:documentId",
    who: { needs: { Documents: "Write" } },
    request: onDocument,
    status: 204,
    audited: ["document.deleted"],
  },
  {
    route: "POST /v1/documents/:documentId/restore",
    who: { needs: { Documents: "Write" } },
    request: async (world) => {
      const built = await onDocument(world);
      const deleted = await call("DELETE", `/v1/documents/${built.params?.documentId}`, world.owner);
      expect(deleted.status).toBe(204);
      return built;
    },
    status: 200,
    audited: ["document.restored"],
  },
  {
    route: "GET /v1/documents/:documentId/versions",
    who: { needs: { Documents: "Read" } },
    request: onDocument,
    status: 200,
    list: true,
  },
  {
    route: "GET /v1/documents/:documentId/passages",
    who: { needs: { Documents: "Read" } },
    request: onDocument,
    status: 200,
    list: true,
  },
  {
    route: "GET /v1/documents/:documentId/pages/:page/words",
    who: { needs: { Documents: "Read" } },
    request: onScan,
    status: 200,
  },
  {
    route: "GET /v1/documents/:documentId/download",
    who: { needs: { Documents: "Read" } },
    request: async (world) => ({ ...(await onDocument(world)), headers: { accept: "application/json" } }),
    status: 200,
  },
];
