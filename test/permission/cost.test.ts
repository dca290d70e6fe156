import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { openContext } from "../../src/compose";
import { newId } from "../../src/platform/ids";
import { loadAccessAtLocation } from "../../src/workspace";
import { call } from "../support/call";
import { mintLocation, mintOrganization, mintPerson } from "../support/factories";
import { metered } from "../support/metered-database";
import { fewestStatements, testDatabase } from "../support/statements";

const ORGANIZATIONS = 50;
const GRANTS = 2_000;

/** A user with memberships in many organizations and many grants: one on this location, the others on locations of others. */
async function mintBusyPerson(locationId: string, tenantId: string, count = GRANTS) {
  const person = await mintPerson();
  const db = testDatabase();
  const ids = (count: number) => JSON.stringify(Array.from({ length: count }, () => newId()));
  const organizations = ids(ORGANIZATIONS);
  const all = (values: string) => sql`FROM json_each(${sql.raw(`'${values}'`)})`;
  await db.run(sql`INSERT INTO organizations (id, name, cameras, external_shares, document_storage_bytes, jobs_per_month,
    max_retention_days, created_at, updated_at) SELECT value, 'One of many', 0, 0, 0, 0, 1, 0, 0 ${all(organizations)}`);
  await db.run(sql`INSERT INTO memberships (organization_id, user_id, role, created_at)
    SELECT value, ${sql.raw(`'${person.userId}'`)}, 'member', 0 ${all(organizations)}`);
  await db.run(sql`INSERT INTO grants (id, user_id, target, target_id, tenant_id, organization_id, capabilities, created_at)
    SELECT value, ${sql.raw(`'${person.userId}'`)}, 'location', CASE key WHEN 0 THEN ${sql.raw(`'${locationId}'`)} ELSE value END,
      ${sql.raw(`'${tenantId}', '${tenantId}'`)}, '{"Documents":"Read"}', 0 ${all(ids(count))}`);
  return person;
}

test("a caller in 50 organizations with 2,000 grants costs three statements, and a list one more", async () => {
  const { id: organizationId } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const { token } = await mintBusyPerson(location.id, organizationId);
  const statementsOf = (path: string, status: number) =>
    fewestStatements(async () => expect((await call("GET", path, { token })).status).toBe(status));
  expect(await statementsOf("/v1/no-such-route", 404)).toBe(3);
  expect(await statementsOf("/v1/spatial/locations", 200)).toBe(4);
  expect(await statementsOf(`/v1/spatial/locations/${location.id}`, 200)).toBe(4);
});

test("the check of a listener at a location reads the grants there, not all grants of the person", async () => {
  const { id: organizationId } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const meter = metered(env.DB);
  const { context } = openContext({ ...env, DB: meter.database }, () => {});
  const check = async (count: number) => {
    const { userId } = await mintBusyPerson(location.id, organizationId, count);
    meter.take();
    const ref = { kind: "session", id: newId(), userId, expiresAt: null } as const;
    await loadAccessAtLocation(context, [ref], location.id, [newId()], Date.now());
    return meter.take();
  };
  const few = await check(1);
  expect(few).toBeGreaterThan(0);
  // The grant of the other person is read there, too.
  expect(await check(GRANTS)).toBeLessThanOrEqual(few + 2);
});
