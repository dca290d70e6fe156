import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { z } from "zod";
import { documents, recognizedPages } from "../../src/documents/tables";
import { newId } from "../../src/platform/ids";
import { call, expectJson } from "../support/call";
import { announce, putBytes, startInParts, startUpload, uploadDocument } from "../support/documents";
import { mintLocation, mintPerson } from "../support/factories";
import { contextOf } from "../support/jobs";
import { eventually } from "../support/patience";
import type { Built, RouteRow } from "./row";
import { named, SECRET, type World } from "./world";

const file = { fileName: `${SECRET}.txt`, bytes: "A sentence that is found again." };

const onLocation = async (world: World) => ({ params: { locationId: (await mintLocation(world.tenant, named)).id } });

async function onDocument(world: World): Promise<Built> {
  const { id } = await mintLocation(world.tenant, named);
  return { params: { documentId: (await uploadDocument(world.owner.token, id, file)).id } };
}

async function onPartedUpload(world: World): Promise<Built> {
  const { params } = await onLocation(world);
  const { uploadId } = await startInParts(world.owner.token, params.locationId, file);
  return { params: { ...params, uploadId } };
}

/** A document with the words of one recognized page. */
async function onScan(world: World): Promise<Built> {
  const built = await onDocument(world);
  const documentId = built.params?.documentId ?? "";
  const { workspace: db } = await contextOf(documentId);
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

async function onTag({ owner, organizationId }: World): Promise<Built> {
  const body = { organizationId, name: `${SECRET} ${newId()}`, color: "red" };
  const tag = await expectJson(z.object({ id: z.string() }), 201, "POST", "/v1/tags", { token: owner.token, body });
  return { params: { tagId: tag.id } };
}

/** A location with a folder that a person made. */
async function onFolder(world: World) {
  const { params } = await onLocation(world);
  const made = await call("POST", `/v1/spatial/locations/${params.locationId}/folders`, {
    token: world.owner.token,
    body: { path: SECRET },
  });
  expect(made.status).toBe(201);
  return { params };
}

/** A location with a mail address. */
async function onMailAddress(world: World) {
  const { params } = await onLocation(world);
  const made = await call("POST", `/v1/spatial/locations/${params.locationId}/mail-address`, {
    token: world.owner.token,
    body: { senders: ["example.org"] },
  });
  expect(made.status).toBe(201);
  return { params };
}

/** The levels with which people manage the mail address of a location. */
const managers = { needs: { LocationView: "Write", Documents: "Write" } } as const;

export const documentRoutes: readonly RouteRow[] = [
  {
    route: "GET /v1/spatial/locations/:locationId/mail-address",
    who: managers,
    request: onMailAddress,
    status: 200,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/mail-address",
    who: managers,
    request: async (world) => ({
      ...(await onLocation(world)),
      body: { senders: ["example.org"], maxBytes: 2_000_000 },
    }),
    status: 201,
    audited: ["mail-address.created"],
  },
  {
    route: "PATCH /v1/spatial/locations/:locationId/mail-address",
    who: managers,
    request: async (world) => ({ ...(await onMailAddress(world)), body: { senders: null, isEnabled: false } }),
    status: 200,
    audited: ["mail-address.changed"],
  },
  {
    route: "POST /v1/spatial/locations/:locationId/mail-address/rotate",
    who: managers,
    request: onMailAddress,
    status: 200,
    audited: ["mail-address.rotated"],
  },
  {
    route: "DELETE /v1/spatial/locations/:locationId/mail-address",
    who: managers,
    request: onMailAddress,
    status: 204,
    audited: ["mail-address.deleted"],
  },
  {
    route: "GET /v1/spatial/locations/:locationId/mail-address/arrivals",
    who: managers,
    request: onMailAddress,
    status: 200,
    list: true,
  },
  {
    route: "GET /v1/spatial/locations/:locationId/documents",
    who: { needs: { Documents: "Read" } },
    request: onLocation,
    status: 200,
    list: true,
  },
  {
    route: "GET /v1/spatial/locations/:locationId/documents/ids",
    who: { needs: { Documents: "Read" } },
    request: onLocation,
    status: 200,
    list: true,
    maxItems: 5_000,
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
    route: "POST /v1/spatial/locations/:locationId/documents/uploads",
    who: { needs: { Documents: "Write" } },
    request: async (world) => ({ ...(await onLocation(world)), body: await announce(file) }),
    status: 201,
  },
  {
    route: "GET /v1/spatial/locations/:locationId/documents/uploads/:uploadId",
    who: { needs: { Documents: "Write" } },
    request: onPartedUpload,
    status: 200,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/documents/uploads/:uploadId/parts",
    answersAnew: true,
    who: { needs: { Documents: "Write" } },
    request: async (world) => ({
      ...(await onPartedUpload(world)),
      body: { parts: [{ number: 1, checksumSha256: "0".repeat(64) }] },
    }),
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
    route: "GET /v1/documents/:documentId/contained-files",
    who: { needs: { Documents: "Read" } },
    request: onDocument,
    status: 200,
  },
  {
    route: "POST /v1/documents/:documentId/contained-files",
    who: { needs: { Documents: "Write" } },
    request: onDocument,
    status: 202,
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
  {
    route: "POST /v1/spatial/locations/:locationId/documents/changes",
    who: { needs: { Documents: "Write" } },
    request: async (world) => {
      const { id } = await mintLocation(world.tenant, named);
      const document = await uploadDocument(world.owner.token, id, file);
      return {
        params: { locationId: id },
        body: { changes: [{ type: "delete", documentId: document.id }] },
        places: [document.id],
      };
    },
    status: 200,
    audited: ["document.deleted"],
  },
  {
    route: "POST /v1/spatial/locations/:locationId/documents/grants",
    who: { needs: { OrganizationView: "Write", Documents: "Write" } },
    request: async (world) => {
      const { id } = await mintLocation(world.tenant, named);
      const document = await uploadDocument(world.owner.token, id, file);
      const { email } = await mintPerson();
      return {
        params: { locationId: id },
        body: { type: "share", documentIds: [document.id], email, capabilities: { Documents: "Read" } },
        places: [document.id],
      };
    },
    status: 200,
    audited: ["grant.created"],
  },
  {
    route: "GET /v1/spatial/locations/:locationId/folders",
    who: { needs: { Documents: "Read" } },
    request: onLocation,
    status: 200,
    list: true,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/folders",
    who: { needs: { Documents: "Write" } },
    request: async (world) => ({ ...(await onLocation(world)), body: { path: "plans" } }),
    status: 201,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/folders/changes",
    who: { needs: { Documents: "Write" } },
    request: async (world) => ({ ...(await onFolder(world)), body: { type: "move", path: SECRET, newPath: "Other" } }),
    status: 202,
    audited: ["folder.moved"],
  },
  {
    route: "GET /v1/spatial/locations/:locationId/folders/changes/:changeId",
    who: { needs: { Documents: "Read" } },
    request: async (world) => {
      const { params } = await onFolder(world);
      const changes = `/v1/spatial/locations/${params.locationId}/folders/changes`;
      const { token } = world.owner;
      const body = { type: "move", path: SECRET, newPath: `${SECRET} moved` };
      const { id } = await expectJson(z.object({ id: z.string() }), 202, "POST", changes, { token, body });
      return { params: { ...params, changeId: id } };
    },
    status: 200,
  },
  { route: "GET /v1/tags", who: "user", request: () => ({}), status: 200, list: true },
  {
    route: "POST /v1/tags",
    who: { needs: { Documents: "Write" } },
    request: ({ organizationId }) => ({
      body: { organizationId, name: `Tag ${newId()}`, color: "red" },
      places: [organizationId],
    }),
    status: 201,
  },
  { route: "GET /v1/tags/:tagId", who: { needs: { Documents: "Read" } }, request: onTag, status: 200 },
  {
    route: "PATCH /v1/tags/:tagId",
    who: { needs: { Documents: "Write" } },
    request: async (world) => ({ ...(await onTag(world)), body: { color: "blue" } }),
    status: 200,
  },
  {
    route: "DELETE /v1/tags/:tagId",
    who: { needs: { Documents: "Write" } },
    request: onTag,
    status: 204,
    audited: ["tag.deleted"],
  },
];
