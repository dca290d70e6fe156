import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { documents } from "../../src/documents/tables";
import { call, codeOf, expectJson } from "../support/call";
import { announce, completeUpload, putBytes, startedUpload, startUpload, uploadDocument } from "../support/documents";
import { mintGrant, mintLocation, mintOrganization, mintPerson, type Person } from "../support/factories";
import { fewestStatements, testDatabase } from "../support/statements";

const page = z.object({ items: z.array(z.looseObject({ id: z.string() })) });

let owner: Person;
let outsider: Person;
let organizationId: string;
let locationId: string;
let document: { id: string };
const file = { fileName: "plan.txt", path: "plans", bytes: "two" };

const share = (level: "Read" | "Write") =>
  mintGrant({ organizationId }, outsider.userId, "document", document.id, { Documents: level });
const start = async (named: object = {}) =>
  call("POST", `/v1/spatial/locations/${locationId}/documents/upload-start`, {
    token: outsider.token,
    body: { ...(await announce(file)), ...named },
  });

beforeEach(async () => {
  const organization = await mintOrganization();
  ({ id: organizationId, owner } = organization);
  outsider = await mintPerson();
  locationId = (await mintLocation({ organizationId })).id;
  document = await uploadDocument(owner.token, locationId, { ...file, bytes: "one" });
});

describe("a caller who may write only one document", () => {
  test("uploads a new version of it", async () => {
    await share("Write");
    const version = await uploadDocument(outsider.token, locationId, file);
    expect(version).toMatchObject({ id: document.id, version: 2, versionCount: 2 });
  });

  test("cannot add other documents, and sees nothing else of the location", async () => {
    await share("Write");
    await uploadDocument(owner.token, locationId, { ...file, fileName: "secret.txt" });
    const answers = await Promise.all([
      start({ fileName: "secret.txt" }),
      start({ fileName: "absent.txt" }),
      start({ path: "" }),
    ]);
    expect(await Promise.all(answers.map(codeOf))).toEqual(Array(3).fill("404 not-found"));
  });

  test("reads their levels in the document, and its ETag follows them", async () => {
    const found = z.object({ capabilities: z.record(z.string(), z.string()) });
    const read = () => call("GET", `/v1/documents/${document.id}`, outsider);
    await share("Read");
    const first = await read();
    expect(found.parse(await first.json()).capabilities).toMatchObject({ Documents: "Read", LocationView: "None" });
    const { items } = await expectJson(page, 200, "GET", `/v1/documents/${document.id}/grants`, owner);
    const body = { capabilities: { Documents: "Write" } };
    await call("PATCH", `/v1/documents/${document.id}/grants/${items[0]?.id}`, { ...owner, body });
    const second = await call("GET", `/v1/documents/${document.id}`, {
      ...outsider,
      headers: { "if-none-match": first.headers.get("etag") ?? "" },
    });
    expect(second.status).toBe(200);
    expect(found.parse(await second.json()).capabilities.Documents).toBe("Write");
    const levels = z.object({ items: z.array(found) });
    const list = `/v1/spatial/locations/${locationId}/documents`;
    expect((await expectJson(levels, 200, "GET", list, outsider)).items).toMatchObject([
      { capabilities: { Documents: "Write" } },
    ]);
  });

  test("can complete an upload only while the access lasts", async () => {
    await share("Write");
    const begun = await startUpload(outsider.token, locationId, file);
    await putBytes(begun, file.bytes);
    const grants = `/v1/documents/${document.id}/grants`;
    const { items } = await expectJson(page, 200, "GET", grants, owner);
    await call("DELETE", `${grants}/${items[0]?.id}`, owner);
    expect(await codeOf(await completeUpload(outsider.token, locationId, begun.uploadId))).toBe("404 not-found");
  });
});

test("a hidden location costs as many statements as one that does not exist", async () => {
  const body = await announce(file);
  const questions = (at: string) =>
    fewestStatements(async () => {
      const path = `/v1/spatial/locations/${at}/documents/upload-start`;
      expect(await codeOf(await call("POST", path, { token: outsider.token, body }))).toBe("404 not-found");
    });
  expect(await questions(locationId)).toBe(await questions(crypto.randomUUID()));
});

test("Read of the document is not enough", async () => {
  await share("Read");
  expect(await codeOf(await start())).toBe("403 forbidden");
});

test("a document that is deleted in that moment is not created again", async () => {
  await share("Write");
  const before = await testDatabase().select().from(documents);
  const [answer] = await Promise.all([start(), call("DELETE", `/v1/documents/${document.id}`, owner)]);
  if (answer.status === 201)
    expect(startedUpload.parse(await answer.json())).toMatchObject({ documentId: document.id });
  else expect(answer.status).toBe(404);
  const now = await testDatabase().select().from(documents);
  expect(now.filter(({ id }) => before.every((row) => row.id !== id))).toEqual([]);
});
