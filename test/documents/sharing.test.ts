import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { sharingSchema } from "../../src/documents/library/sharing";
import { MAX_SHARED_DOCUMENTS } from "../../src/documents/limits";
import { notificationSchema } from "../../src/notifications/inbox";
import { MAX_GRANTS_PER_RESOURCE } from "../../src/workspace/limits";
import { copyRow } from "../limits/fill";
import { call, codeOf, expectJson } from "../support/call";
import {
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintMembers,
  mintOrganization,
  mintPerson,
  type Person,
} from "../support/factories";
import { endedJobs } from "../support/jobs";
import { fewestRoundTrips } from "../support/statements";

/* Several documents are shared with a person in one act. */

let organizationId: string;
let owner: Person;
let friend: Person;
let place: { id: string; clusterId: string };

beforeEach(async () => {
  const organization = await mintOrganization();
  ({ id: organizationId, owner } = organization);
  place = await mintLocation({ organizationId });
  friend = await mintPerson();
});

const mint = (fileName: string, at = place) => mintDocument({ organizationId }, at, [], { fileName });
const address = (at = place.id) => `/v1/spatial/locations/${at}/documents/grants`;
const send = (body: object | null, { person = owner, at = place.id } = {}) =>
  call("POST", address(at), { token: person.token, body: body ?? {} });
const share = (documentIds: readonly string[], more: object = {}) => ({
  type: "share",
  documentIds,
  email: friend.email,
  capabilities: { Documents: "Read" },
  ...more,
});
const shared = (body: object | null, options = {}) =>
  expectJson(sharingSchema, 200, "POST", address(), { token: owner.token, body: body ?? {}, ...options });
const codesOf = ({ results }: z.infer<typeof sharingSchema>) => results.map(({ error }) => error?.code ?? "done");
const sees = async (id: string, person = friend) => (await call("GET", `/v1/documents/${id}`, person)).status === 200;

const page = z.object({ items: z.array(notificationSchema) });
async function told(person = friend) {
  await endedJobs(organizationId, "announce");
  const { items } = await expectJson(page, 200, "GET", "/v1/notifications", { token: person.token });
  return items.map(({ type, title, body }) => [type, title, body]);
}

const grantList = z.object({
  items: z.array(z.object({ id: z.string(), capabilities: z.record(z.string(), z.string()) })),
});
const grantsOn = async (id: string) =>
  (await expectJson(grantList, 200, "GET", `/v1/documents/${id}/grants`, owner)).items;

test("documents are shared in one act, with one notification, and its undo ends the grants", async () => {
  const ids = await Promise.all(["plan 1", "plan 2", "plan 3", "plan 4", "plan 5"].map((name) => mint(name)));
  const answer = await shared(share(ids));
  expect(codesOf(answer)).toEqual(Array(5).fill("done"));
  for (const id of ids) expect(await sees(id)).toBe(true);
  expect(await told()).toEqual([
    ["grant-given", "5 documents were shared with you", "plan 1, plan 2, plan 3, 2 other documents"],
  ]);
  expect(answer.undo?.grants.map(({ documentId }) => documentId)).toEqual(ids);
  const ended = await shared(answer.undo);
  expect(codesOf(ended)).toEqual(Array(5).fill("done"));
  expect(ended.undo).toBeNull();
  for (const id of ids) expect(await sees(id)).toBe(false);
  expect(await told()).toEqual([]);
  expect(await codeOf(await send(answer.undo))).toBe("404 not-found");
  const audit = z.object({ items: z.array(z.object({ action: z.string(), subjectId: z.string() })) });
  const trail = await expectJson(audit, 200, "GET", `/v1/orgs/${organizationId}/audit?limit=100`, owner);
  for (const action of ["grant.created", "grant.deleted"])
    expect(
      trail.items
        .filter((one) => one.action === action)
        .map((one) => one.subjectId)
        .sort(),
    ).toEqual(ids.toSorted());
});

test("one document has the message of one document, and grants that end before it are in none", async () => {
  const [a = "", b = ""] = [await mint("a"), await mint("b")];
  await shared(share([a]));
  expect(await told()).toEqual([["grant-given", "A document was shared with you", "a"]]);
  await shared(share([b], { capabilities: { Documents: "Write" } }));
  expect((await grantsOn(b))[0]?.capabilities).toEqual({ Documents: "Write" });
});

test("a repeat makes no second grant, and a mixed request shares what it may", async () => {
  const [a = "", b = ""] = [await mint("a"), await mint("b")];
  await shared(share([a]));
  expect(await codeOf(await send(share([a])))).toBe("409 already-exists");
  const foreign = await mintOrganization();
  const at = await mintLocation({ organizationId: foreign.id });
  const hidden = await mintDocument({ organizationId: foreign.id }, at);
  const mixed = await shared(share([a, hidden, b]));
  expect(codesOf(mixed)).toEqual(["already-exists", "not-found", "done"]);
  expect(mixed.undo?.grants.map(({ documentId }) => documentId)).toEqual([b]);
  expect(await grantsOn(a)).toHaveLength(1);
  const key = { "idempotency-key": crypto.randomUUID() };
  const c = await mint("c");
  const first = await shared(share([c]), { headers: key });
  expect(await shared(share([c]), { headers: key })).toEqual(first);
  expect(await grantsOn(c)).toHaveLength(1);
});

test("an expired grant is replaced, and a full document is left out", async () => {
  const [expired = "", full = ""] = [await mint("expired"), await mint("full")];
  await mintGrant({ organizationId }, friend.userId, "document", expired, { Documents: "Read" }, { expiresAt: 1 });
  const [first = "", ...others] = await mintMembers(organizationId, MAX_GRANTS_PER_RESOURCE);
  const grantId = await mintGrant({ organizationId }, first, "document", full, { Documents: "Read" });
  await copyRow("grants", grantId, others.length, {
    user_id: `json_extract('${JSON.stringify(others)}', '$[' || (i - 1) || ']')`,
  });
  const answer = await shared(share([expired, full]));
  expect(codesOf(answer)).toEqual(["done", "rule-violated"]);
  expect(await grantsOn(expired)).toHaveLength(1);
});

test("an undo does not end a grant that somebody has changed since", async () => {
  const [a = "", b = ""] = [await mint("a"), await mint("b")];
  const { undo } = await shared(share([a, b]));
  const [grant] = await grantsOn(a);
  const body = { capabilities: { Documents: "Write" } };
  const changed = await call("PATCH", `/v1/documents/${a}/grants/${grant?.id}`, { token: owner.token, body });
  expect(changed.status).toBe(200);
  expect(codesOf(await shared(undo))).toEqual(["stale-revision", "done"]);
  expect([await sees(a), await sees(b)]).toEqual([true, false]);
});

describe("a person who may not share", () => {
  test("gets 403 for what they see and 404 for what they do not see", async () => {
    const id = await mint("a");
    const [member, stranger] = [await mintMember(organizationId), await mintPerson()];
    expect(await codeOf(await send(share([id]), { person: member }))).toBe("403 forbidden");
    expect(await codeOf(await send(share([id]), { person: stranger }))).toBe("404 not-found");
    const { undo } = await shared(share([id]));
    expect(await codeOf(await send(undo, { person: member }))).toMatch(/^40[34]/);
    expect(await codeOf(await send(undo, { person: stranger }))).toBe("404 not-found");
    expect(await sees(id)).toBe(true);
    // The person may give a grant back.
    expect(codesOf(await shared(undo, { token: friend.token }))).toEqual(["done"]);
    expect(await sees(id)).toBe(false);
  });
});

test("a request names one person, each document once, and the capability of documents alone", async () => {
  const id = await mint("a");
  for (const body of [
    share([id, id]),
    share([]),
    share([id], { userId: owner.userId }),
    share([id], { email: undefined }),
  ])
    expect(await codeOf(await send(body))).toBe("400 validation-failed");
  for (const more of [
    { capabilities: { LocationView: "Read" } },
    { email: "nobody@example.org" },
    { email: owner.email },
    { expiresAtUtc: "2001-01-01T00:00:00Z" },
  ])
    expect(await codeOf(await send(share([id], more)))).toBe("422 rule-violated");
});

test("MAX_SHARED_DOCUMENTS documents are shared and taken back by a request each", async () => {
  const ids = await Promise.all(Array.from({ length: MAX_SHARED_DOCUMENTS }, (_, n) => mint(`file ${n}`)));
  const one = await fewestRoundTrips(async () => {
    await shared((await shared(share([ids[0] ?? ""]))).undo);
  }, 2);
  const all = await fewestRoundTrips(async () => {
    const answer = await shared(share(ids));
    expect(new Set(codesOf(answer))).toEqual(new Set(["done"]));
    await shared(answer.undo);
  }, 2);
  // Jobs that announce and index run beside the requests. No round trip belongs to a document.
  expect(all - one).toBeLessThan(MAX_SHARED_DOCUMENTS / 10);
  expect(await codeOf(await send(share([...ids, crypto.randomUUID()])))).toBe("400 validation-failed");
});
