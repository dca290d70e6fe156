import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { GRANTS_WITHOUT_INDEX } from "../../src/search/limits";
import { call } from "../support/call";
import { mintDocument, mintGrant, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { runThrough } from "../support/jobs";
import { setResidence } from "../support/moves";
import { buildGuests, isIndexed } from "./guest-index";
import { found, indexTenant } from "./searching";
import { indexAll } from "./worlds";

describe("the index of a guest with many grants", () => {
  const count = async (table: string, where: string, value: string): Promise<number> =>
    (await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where} = ?`).bind(value).first<number>("n")) ??
    -1;

  /** Gives many grants in one statement, on targets that do not exist. */
  const giveGrants = (organizationId: string, userId: string, grants: number) =>
    env.DB.prepare(
      `INSERT INTO grants (id, user_id, target, target_id, tenant_id, organization_id, capabilities, created_at)
        SELECT lower(hex(randomblob(16))), ?1, 'location', lower(hex(randomblob(16))), ?2, ?2, '{"Documents":"Read"}', 0
        FROM json_each(?3)`,
    )
      .bind(userId, organizationId, JSON.stringify(Array.from({ length: grants }, (_, i) => i)))
      .run();

  test("is built for other organizations while one moves, and for the moved organization afterwards", async () => {
    const [one, other] = [await mintOrganization(), await mintOrganization()];
    for (const { id } of [one, other])
      await giveGrants(id, (await mintMember(id, "guest")).userId, GRANTS_WITHOUT_INDEX + 1);
    await setResidence(one.id, "leaving");
    await buildGuests();
    expect([await isIndexed(one.id), await isIndexed(other.id)]).toEqual([false, true]);
    await setResidence(one.id, "here");
    await buildGuests();
    expect(await isIndexed(one.id)).toBe(true);
  });

  test("is built by the job, and removed with all its postings when few grants are left", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const place = await mintLocation(tenant, { name: "Girder yard" });
    // Longer than one slice.
    const pages = Array.from({ length: 150 }, (_, i) => `girder number ${i}`);
    const documentId = await mintDocument(tenant, place, pages, { fileName: "Heliograph.pdf" });
    const guest = await mintMember(organization.id, "guest");
    await mintGrant(tenant, guest.userId, "location", place.id, { Documents: "Read" });
    await indexTenant(organization.id);
    const shown = [`document:${documentId}`, `documentcontent:${documentId}.0`];
    const search = () => found(guest.token, "heliograph girder ");
    const before = await search();
    expect(before).toEqual(expect.arrayContaining(shown));

    await giveGrants(organization.id, guest.userId, GRANTS_WITHOUT_INDEX - 1);
    expect(await count("search_guests", "user_id", guest.userId)).toBe(0);
    await giveGrants(organization.id, guest.userId, 1);
    expect(await count("search_guests", "user_id", guest.userId)).toBe(1);
    await runThrough("index-guests", [{}]);
    expect(await isIndexed(organization.id)).toBe(true);
    expect(await search()).toEqual(before);

    const revoked = await call("GET", `/v1/spatial/locations/${place.id}/grants`, { token: organization.owner.token });
    const { items } = await revoked.json<{ items: { id: string }[] }>();
    const path = `/v1/spatial/locations/${place.id}/grants/${items[0]?.id}`;
    expect((await call("DELETE", path, { token: organization.owner.token })).status).toBe(204);
    expect(await isIndexed(organization.id)).toBe(false);
    expect(await search()).toEqual([]);
    await runThrough("index-guests", [{}]);
    expect(await count("search_guests", "user_id", guest.userId)).toBe(0);
    expect(await count("search_scopes", "scope_id", `${guest.userId}/${organization.id}`)).toBe(0);
    expect(await count("search_entries", "json_array_length(scopes) > 1 AND resource_id", documentId)).toBe(0);
  });

  test("is not used after the end of a grant, and is built again without it", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const [kept, ended] = [await mintLocation(tenant), await mintLocation(tenant)];
    const documentId = await mintDocument(tenant, kept, ["girder of the yard"]);
    await mintDocument(tenant, ended, ["girder of the vault"]);
    const guest = await mintMember(organization.id, "guest");
    const capabilities = { Documents: "Read" } as const;
    await giveGrants(organization.id, guest.userId, GRANTS_WITHOUT_INDEX);
    await mintGrant(tenant, guest.userId, "location", kept.id, capabilities);
    const expiresAt = Date.now() + 3_600_000;
    await mintGrant(tenant, guest.userId, "location", ended.id, capabilities, { expiresAt });
    await indexAll(organization.id);
    await buildGuests();
    const until = env.DB.prepare("SELECT valid_until FROM search_guests WHERE user_id = ?").bind(guest.userId);
    expect(await until.first<number>("valid_until")).toBe(expiresAt);
    const search = () => found(guest.token, "girder ");
    expect(await search()).toHaveLength(2);
    // Time passes without a change of the grant: only the stored ends are earlier.
    await env.DB.batch([
      env.DB.prepare("UPDATE grants SET expires_at = 1 WHERE target_id = ?").bind(ended.id),
      env.DB.prepare("UPDATE search_guests SET current = 1, valid_until = 1 WHERE user_id = ?").bind(guest.userId),
    ]);
    const own = [`documentcontent:${documentId}.0`];
    expect(await search()).toEqual(own);
    await buildGuests();
    expect(await isIndexed(organization.id)).toBe(true);
    expect(await search()).toEqual(own);
  });

  test("exists for 16 guests of an organization", async () => {
    const organization = await mintOrganization();
    const guests = await Promise.all(Array.from({ length: 17 }, () => mintMember(organization.id, "guest")));
    for (const { userId } of guests) await giveGrants(organization.id, userId, GRANTS_WITHOUT_INDEX + 1);
    expect(await count("search_guests", "organization_id", organization.id)).toBe(16);
  });
});
