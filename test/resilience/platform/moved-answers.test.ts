import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { inWaves } from "../../../src/platform/concurrency";
import {
  addMemberSeveral,
  callSeveral,
  databaseOf,
  expectSeveral,
  migrateSeveral,
  organizationIn,
  placeOf,
  registerIn,
  runJobs,
} from "../../support/databases";
import { announce, putBytes, startedUpload } from "../../support/documents";
import { beginMoveOf, runMove } from "../../support/moving";

/*
 * Answers do not depend on the databases in which the workspaces are. Everything is in one database first, and is read. Then an
 * organization moves, and the same questions have the same answers.
 */

beforeAll(migrateSeveral);

const made = z.object({ id: z.string() });
const TEXT = "A brass lantern hangs over the inspection bridge.";

/** An organization with documents, of which one has a tag, an annotation, a camera and a deleted cluster. */
async function organization(owner: { token: string }, name: string) {
  const { token } = owner;
  const make = async (path: string, body: object, status = 201) =>
    (await expectSeveral(made, status, "POST", path, { token, body })).id;
  const organizationId = await organizationIn("first", token, name);
  await databaseOf("first").prepare("UPDATE organizations SET cameras = 1 WHERE id = ?").bind(organizationId).run();
  const clusterId = await make("/v1/spatial/clusters", { organizationId, name: `${name} quay` });
  const locationId = await make("/v1/spatial/locations", { clusterId, name: `${name} crane` });
  const at = `/v1/spatial/locations/${locationId}`;
  const documents: string[] = [];
  for (const fileName of ["bridge.txt", "lantern.txt"]) {
    const file = { fileName, bytes: `${TEXT} It belongs to ${name}.` };
    const upload = { token, body: await announce(file) };
    const started = await expectSeveral(startedUpload, 201, "POST", `${at}/documents/upload-start`, upload);
    expect((await putBytes(started, file.bytes)).status).toBe(200);
    documents.push(await make(`${at}/documents/upload-complete`, { uploadId: started.uploadId }, 200));
  }
  const tagId = await make("/v1/tags", { organizationId, name: "Inspection", color: "red" });
  await expectSeveral(z.any(), 200, "POST", `${at}/documents/changes`, {
    token,
    body: { changes: [{ type: "tag", documentId: documents[0], add: [tagId], remove: [] }] },
  });
  await make(`${at}/annotations`, { kind: "note", title: `Lantern of ${name}`, body: "Clean it." });
  await make(`${at}/cameras`, { name: `${name} gate` });
  const gone = await make("/v1/spatial/clusters", { organizationId, name: "Old" });
  const headers = { "if-match": '"1"' };
  await expectSeveral(z.null(), 204, "DELETE", `/v1/spatial/clusters/${gone}`, { token, headers });
  return { organizationId, clusterId, locationId, tagId };
}

/** What differs between two answers to one question. */
const CHANGING =
  /"(?:requestId|searchId|impressionId|serverTimeUtc|asOfUtc|generatedAtUtc|lastUsedAtUtc|fromUtc|toUtc)":"[^"]*"/g;

test("lists, counts, searches and the inbox answer the same after a move", { timeout: 60_000 }, async () => {
  const owner = await registerIn("first");
  const guest = await registerIn("first");
  await env.D1_DIRECTORY.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(guest.userId).run();
  const sites = [await organization(owner, "Harbour"), await organization(owner, "Marina")];
  const [harbour, marina] = sites;
  if (harbour === undefined || marina === undefined) throw new Error("no sites");
  await addMemberSeveral(harbour.organizationId, owner, guest);
  await expectSeveral(made, 201, "POST", `/v1/spatial/locations/${marina.locationId}/grants`, {
    token: owner.token,
    body: { email: guest.email, capabilities: { LocationView: "Read", Documents: "Read", LocationCameras: "Read" } },
  });
  await runJobs();

  const scoped = ["spatial/clusters", "spatial/locations", "tags", "trash", "cameras", "reports"];
  const lists = [...scoped, "reports/templates"];
  const gets = [
    "/v1/auth/me",
    "/v1/orgs?limit=100",
    "/v1/notifications?limit=100",
    "/v1/notifications/unread-count",
    "/v1/notifications/bootstrap",
    "/v1/notifications/preferences",
    ...lists.flatMap((list) => [`/v1/${list}?limit=100`, `/v1/${list}?limit=1`]),
    ...scoped.map((list) => `/v1/${list}?limit=100&organizationId=${marina.organizationId}`),
  ];
  const searches = ["lantern", "lant*", "tag:inspection", "lantern -tag:inspection", "lantren"].flatMap((term) => [
    { path: "/v1/search", body: { term } },
    { path: "/v1/search/suggestions", body: { term } },
  ]);
  const answersOf = async () => {
    const answers: Record<string, string> = {};
    for (const { token } of [owner, guest]) {
      const who = token === owner.token ? "owner" : "guest";
      const questions = [
        ...gets.map((path) => ({ name: path, ask: () => callSeveral("GET", path, { token }) })),
        ...searches.map(({ path, body }) => ({
          name: `${path} ${JSON.stringify(body)}`,
          ask: () => callSeveral("POST", path, { token, body }),
        })),
      ];
      await inWaves(questions, 8, async ({ name, ask }) => {
        const response = await ask();
        answers[`${who} ${name}`] = `${response.status} ${(await response.text()).replaceAll(CHANGING, "")}`;
      });
    }
    return answers;
  };
  const before = await answersOf();
  expect(Object.entries(before).filter(([, answer]) => !answer.startsWith("200"))).toEqual([]);
  expect(before['owner /v1/search {"term":"tag:inspection"}']).toContain("Marina crane");

  await runMove((await beginMoveOf(marina.organizationId)).id);
  expect(await placeOf(marina.organizationId)).toBe("second");
  expect(await placeOf(harbour.organizationId)).toBe("first");
  await runJobs();
  expect(await answersOf()).toEqual(before);
});

test("a person's memberships are listed by their ids, wherever the organizations are", async () => {
  const { token } = await registerIn("first");
  const ids = [
    await organizationIn("second", token),
    await organizationIn("first", token),
    await organizationIn("second", token),
  ];
  const profile = z.object({ memberships: z.array(z.object({ organizationId: z.string() })) });
  const { memberships } = await expectSeveral(profile, 200, "GET", "/v1/auth/me", { token });
  expect(memberships.map(({ organizationId }) => organizationId)).toEqual(ids.sort());
});
