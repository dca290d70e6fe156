import { beforeAll, describe, expect, test } from "vitest";
import type { Capability, CapabilityMap } from "../../src/access";
import { newId } from "../../src/platform/ids";
import { call } from "../support/call";
import { moveAll, residentIds, watchWorkspaces } from "../support/moves";
import { withShare } from "../support/shares";
import {
  type Answer,
  auditedBy,
  essence,
  expectGuarded,
  expectNothingTold,
  expectRefusal,
  type Sent,
  send,
} from "./answers";
import { ENDLESS_CURSOR, expectNothingForeign, FORGED_CURSORS, type Foreign, foreignCursors } from "./cursors";
import {
  type Built,
  capabilitiesOf,
  idsInPath,
  idsOf,
  isOnSomething,
  methodOf,
  type RouteRow,
  replaced,
  takesInput,
} from "./row";
import { mintWorld, type World } from "./world";

/** The bearer of the right caller of a row. */
export function rightToken({ who }: RouteRow, world: World): string | undefined {
  if (who === "anyone" || who === "share") return undefined;
  if (who === "session" || who === "sign-in") return world.sessions.owner;
  if (who === "device") return world.devices.here;
  return who === "platform-admin" ? world.platformAdmin.token : world.owner.token;
}

/** A caller of the same kind from another organization. The caller may see nothing of this organization. */
function asStranger({ who }: RouteRow, world: World): Sent {
  if (who === "sign-in") return { token: world.issued };
  if (who === "share") return { headers: withShare(world.shares.stranger) };
  if (who === "device") return { token: world.devices.stranger };
  return { token: who === "session" ? world.sessions.stranger : world.stranger.token };
}

/** Every ceiling that is one level too low. */
function ceilingsBelow(needs: CapabilityMap): CapabilityMap[] {
  return (Object.keys(needs) as Capability[]).flatMap((capability) => {
    const { [capability]: level, ...rest } = needs;
    const lower: CapabilityMap = level === "Write" ? { ...rest, [capability]: "Read" } : rest;
    return [lower, rest];
  });
}

/** The headers of the right caller. */
function bearerOf(built: Built, row: RouteRow, world: World): Record<string, string> {
  const token = built.token ?? rightToken(row, world);
  return { ...built.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
}

/** A test that exists only if it applies to the row. */
const testIf = (applies: boolean) => (name: string, run: () => Promise<void>) => {
  if (applies) test(name, run);
};

const hasIdInPath = ({ route }: RouteRow): boolean => /\/:\w*Id\b/.test(route) && route.includes(" /v1/");

/** Tests the routes of a table with every kind of caller and every kind of wrong input. */
export function describeRoutes(rows: readonly RouteRow[]): void {
  let world: World;
  let foreign: Foreign | undefined;
  beforeAll(async () => {
    world = await mintWorld();
  });

  describe.each(rows.map((row) => [row.route, row] as const))("%s", (_, row) => {
    const build = async () => row.request(world);
    const asRight = (built: Built, more: Sent = {}): Promise<Answer> => {
      const token = built.token ?? rightToken(row, world);
      return send(row, built, { ...(token === undefined ? {} : { token }), ...more });
    };

    test("serves the right caller, even after every refusal", async () => {
      const built = await build();
      await refuseEverybodyElse(row, built, world);
      if (row.route.includes(" /v1/")) expectRefusal(await asRight(withUnknownField(built)), 400, "validation-failed");
      const answer = await asRight(built);
      expect([answer.status, answer.text]).toEqual([row.status, answer.text]);
      expectGuarded(answer, row.framed ? "self" : "none");
      expect(await auditedBy(answer)).toEqual(row.audited ?? []);
      const location = answer.headers.get("location");
      if (location !== null && row.isLocationUnread !== true) {
        const read = await call("GET", location, { headers: bearerOf(built, row, world) });
        expect([read.status, await read.text()]).toEqual([200, expect.any(String)]);
      }
      if (answer.status === 202 && location !== null)
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      if (row.notJson) return;
      expect(answer.headers.get("cache-control")).toBe("no-store");
      if (answer.text !== "") expect(JSON.parse(answer.text)).toBeTypeOf("object");
    });

    const needs = capabilitiesOf(row);
    testIf(needs !== null)("asks for the capabilities it names and for no other", async () => {
      const exactly = await send(row, await build(), { token: await world.under(needs ?? {}) });
      if (row.refusesCeilings === true) {
        expectRefusal(exactly, 403, "forbidden");
        return;
      }
      expect([exactly.status, exactly.text]).toEqual([row.status, exactly.text]);
    });

    testIf(isOnSomething(row))("answers alike for what is absent and what is hidden", async () => {
      const built = await build();
      const stranger = asStranger(row, world);
      const hidden = await send(row, built, stranger);
      expectRefusal(hidden, 404, "not-found");
      expectNothingTold(hidden, built);
      expect(idsOf(built)).not.toEqual([]);
      for (const id of idsOf(built)) {
        const absent = replaced(built, id, newId());
        expect(essence(await send(row, absent, stranger))).toEqual(essence(hidden));
        expect(essence(await asRight(absent))).toEqual(essence(hidden));
      }
    });

    testIf(row.who === "platform-admin" && row.route.includes("/:"))("does not find what is absent", async () => {
      const built = await build();
      for (const id of idsOf(built)) expectRefusal(await asRight(replaced(built, id, newId())), 404, "not-found");
    });

    testIf(hasIdInPath(row))("takes its ids in any case", async () => {
      const built = await build();
      const upper = Object.fromEntries(idsInPath(built).map(([name, id]) => [name, id.toUpperCase()]));
      const answer = await asRight({ ...built, params: { ...built.params, ...upper } });
      expect([answer.status, answer.text]).toEqual([row.status, answer.text]);
      // Its answer has them in lower case.
      for (const id of Object.values(upper)) expect(answer.text).not.toContain(id);
    });

    testIf(takesInput(row))("refuses what is not well formed", async () => {
      const built = await build();
      for (const [name] of idsInPath(built)) {
        const malformed = { ...built, params: { ...built.params, [name]: "not-an-id" } };
        expectRefusal(await asRight(malformed), 400, "validation-failed");
      }
      if (built.body === undefined) return;
      const unknownField = { ...built, body: { ...built.body, noSuchField: 1 } };
      expectRefusal(await asRight(unknownField), 400, "validation-failed");
      expectRefusal(await asRight(built, { rawBody: "{" }), 400, "malformed-request");
      const asText = { rawBody: JSON.stringify(built.body), headers: { "content-type": "text/plain" } };
      expectRefusal(await asRight(built, asText), 415, "unsupported-media-type");
    });

    testIf(row.list === true)("gives pages, and refuses impossible pages", async () => {
      const built = await build();
      const answer = await asRight(built);
      expect(JSON.parse(answer.text)).toMatchObject({ items: expect.any(Array) });
      expect(JSON.parse(answer.text)).toHaveProperty("nextCursor");
      for (const limit of [
        "0",
        `${(row.maxItems ?? 100) + 1}`,
        "-1",
        "1.5",
        "1e9",
        "ten",
        "",
        "0x10",
        "1e1",
        "%205",
        "5%20",
        "+5",
        "05",
        "٥",
      ])
        expectRefusal(await asRight({ ...built, query: `limit=${limit}` }), 400, "validation-failed");
      for (const cursor of FORGED_CURSORS)
        expectRefusal(await asRight({ ...built, query: `cursor=${cursor}` }), 400, "invalid-cursor");
      expectRefusal(await asRight({ ...built, query: `cursor=${ENDLESS_CURSOR}` }), 400, "validation-failed");
    });

    testIf(row.list === true)("shows nothing but its own at the cursor of another list of somebody else", async () => {
      const built = await build();
      foreign ??= await foreignCursors();
      for (const cursor of foreign.cursors) {
        const answer = await asRight({ ...built, query: `cursor=${cursor}` });
        if (answer.status === 200) expectNothingForeign(answer, foreign);
        else expectRefusal(answer, 400, "invalid-cursor");
      }
    });

    testIf(methodOf(row) === "DELETE" && !row.endsCredential)(
      "is carried out once when it is sent four times at once, and then answers as a repeat",
      async () => {
        const built = await build();
        const answers = await Promise.all(Array.from({ length: 4 }, () => asRight(built)));
        const repeat = await asRight(built);
        const statuses = answers.map(({ status }) => status).sort();
        // The description of the API says so. A job undoes a move, which can be undone once.
        const known = row.route.includes("/uploads/") ? row.status : row.status === 202 ? 409 : 404;
        expect(repeat.status).toBe(known);
        expect(statuses).toEqual([row.status, ...Array<number>(3).fill(repeat.status)].sort());
        const audited = await Promise.all(answers.map(auditedBy));
        expect(audited.flat()).toEqual(row.audited ?? []);
      },
    );

    testIf(/^(POST|PUT|PATCH)$/.test(methodOf(row)) && !row.endsCredential)(
      "is carried out once under one Idempotency-Key",
      async () => {
        const built = await build();
        const headers = { ...built.headers, "idempotency-key": newId() };
        const first = await asRight({ ...built, headers });
        const again = await asRight({ ...built, headers });
        expect(first.status).toBe(row.status);
        // An answer that is composed again shows the current state of the resource.
        expect(row.answersAnew ? [row.status, 200] : [row.status]).toContain(again.status);
        expect(await auditedBy(again)).toEqual([]);
        expect(again.headers.get("idempotency-replayed")).toBe(row.answersAnew ? null : "true");
        if (row.answersAnew) return;
        expect(again.text).toBe(first.text);
        const other = { ...built, headers, query: "another=1" };
        expectRefusal(await asRight(other), 422, "idempotency-key-reused");
      },
    );
  });

  test("while its workspace moves, each route reads as before or is refused, and changes nothing", async () => {
    const here = await mintWorld();
    const requests: { row: RouteRow; built: Built }[] = [];
    for (const row of rows) {
      const built = await row.request(here);
      const isPost = methodOf(row) === "POST";
      const headers = { ...built.headers, ...(isPost && { "idempotency-key": newId() }) };
      requests.push({ row, built: { ...built, headers } });
    }
    const ask = ({ row, built }: (typeof requests)[number]) => {
      const token = built.token ?? rightToken(row, here);
      return send(row, built, token === undefined ? {} : { token });
    };
    const end = await moveAll();
    const [changes, known] = [await watchWorkspaces(), await residentIds()];
    const served = (row: RouteRow) => methodOf(row) === "GET" || row.changesNone === true;
    const answers: string[] = [];
    for (const request of requests) {
      const answer = await ask(request);
      answers.push(`${request.row.route}: ${answer.status}`);
      if (answer.status !== 503) continue;
      expectRefusal(answer, 503, "workspace-moving");
      expect(Number(answer.headers.get("retry-after")), request.row.route).toBeGreaterThan(0);
    }
    expect(answers).toEqual(rows.map((row) => `${row.route}: ${served(row) ? row.status : 503}`));
    const created = [...(await residentIds())].filter((id) => !known.has(id));
    expect((await changes()).filter((line) => !created.some((id) => line.includes(id)))).toEqual([]);
    await end();
    const refused = requests.filter(({ row }) => !served(row));
    const again: string[] = [];
    for (const request of refused) {
      const answer = await ask(request);
      again.push(`${request.row.route}: ${answer.status}`);
      expect(answer.headers.get("idempotency-replayed")).toBeNull();
    }
    expect(again).toEqual(refused.map(({ row }) => `${row.route}: ${row.status}`));
  });
}

/** A query field that the route does not know. */
const withUnknownField = (built: Built): Built => ({
  ...built,
  query: [built.query, "noSuchField=1"].filter(Boolean).join("&"),
});

/** The other callers of a row, and their refusals. None of them may change anything. */
async function refuseEverybodyElse(row: RouteRow, built: Built, world: World): Promise<void> {
  const { who } = row;
  if (who === "anyone") return;
  if (who === "share") return refuseOtherLinks(row, built, world);
  for (const { authorization, code } of who === "device" ? world.deadDevices : world.dead) {
    const answer = await send(row, built, { authorization });
    expectRefusal(answer, 401, code);
    expectNothingTold(answer, built);
  }
  const refuse = async (caller: string | Sent, statuses: readonly number[]) => {
    const answer = await send(row, built, typeof caller === "string" ? { token: caller } : caller);
    expect(statuses, answer.text).toContain(answer.status);
    expectRefusal(answer, answer.status);
    expectNothingTold(answer, built);
  };
  const onSomething = isOnSomething(row);
  if (onSomething) await refuse(asStranger(row, world), [404]);
  if (who === "device") return;
  if (!onSomething && who === "user") {
    for (const token of [world.stranger.token, world.elsewhere])
      expectNothingTold(await send(row, built, { token }), built);
  }
  switch (who) {
    case "user":
      return;
    case "session":
      for (const token of [world.owner.token, world.issued]) await refuse(token, [403]);
      return;
    case "sign-in":
      if (onSomething) await refuse(world.sessions.stranger, [404]);
      return refuse(world.owner.token, [403]);
    case "platform-admin":
      for (const token of [world.owner.token, world.narrowedAdmin]) await refuse(token, [403]);
      return;
    case "organization-admin":
      for (const { token } of [world.member, world.guest]) await refuse(token, [403]);
      break;
    default:
      // A guest may read the organization itself.
      if (who.needs.OrganizationView !== "Read") await refuse(world.guest.token, [403, 404]);
  }
  if (onSomething) await refuse(world.elsewhere, [404]);
  for (const ceiling of ceilingsBelow(capabilitiesOf(row) ?? {})) await refuse(await world.under(ceiling), [403, 404]);
}

/** Links that do not show the resource, and signed-in users: all get the same answer. */
async function refuseOtherLinks(row: RouteRow, built: Built, world: World): Promise<void> {
  const others: Sent[] = world.shares.dead.map((token) => ({ headers: withShare(token) }));
  if (isOnSomething(row)) others.push(asStranger(row, world));
  const { "x-camera-share": _, ...withoutLink } = built.headers ?? {};
  const answers = await Promise.all([
    ...others.map((sent) => send(row, built, sent)),
    send(row, { ...built, headers: withoutLink }, { token: world.owner.token }),
  ]);
  for (const answer of answers) {
    expectRefusal(answer, 404, "not-found");
    expectNothingTold(answer, built);
    expect(essence(answer)).toEqual(essence(answers[0] ?? answer));
  }
}
