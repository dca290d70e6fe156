import { env } from "cloudflare:workers";
import { z } from "zod";
import { timelineSchema } from "../../src/cameras/archive/present";
import { conditionsBetween } from "../../src/cameras/health/conditions";
import * as cameras from "../../src/cameras/limits";
import { HOUR, MINUTE } from "../../src/platform/time";
import * as search from "../../src/search/limits";
import { insightsSchema } from "../../src/search/telemetry";
import * as workspace from "../../src/workspace/limits";
import { indexTenant, searchAs } from "../search/searching";
import { call, expectJson } from "../support/call";
import { mintCamera, mintCaptures } from "../support/cameras";
import { frameRow, mintDevice, transfer } from "../support/device";
import { mintDocument, mintGrant, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { systemContext } from "../support/jobs";
import { mintShare } from "../support/shares";
import { copyRow } from "./fill";
import type { ShownRow } from "./shown";

const items = z.looseObject({ items: z.array(z.unknown()) });

/** A camera with images at these times before now, milliseconds, and a view of its archive. */
async function archive(ages: readonly number[]) {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const camera = await mintCamera(organizationId, locationId, { captureIntervalMinutes: 1 });
  const last = Date.now() - MINUTE;
  await mintCaptures(
    camera,
    locationId,
    ages.map((age) => ({ capturedAt: last - age })),
  );
  const view = (name: string) => `/v1/cameras/${camera.id}/${name}?locationId=${locationId}`;
  return { owner, view };
}

/** A search of a member of an organization. */
async function searched() {
  const { id: organizationId, owner } = await mintOrganization();
  const answer = z.looseObject({ searchId: z.string() });
  const { searchId } = await expectJson(answer, 200, "POST", "/v1/search", { ...owner, body: { term: "harbour" } });
  const reformulate = (reformulatedTerm: string) =>
    call("POST", "/v1/search/interactions", {
      ...owner,
      body: { searchId, action: "QueryReformulated", reformulatedTerm },
    });
  const read = <T>(sql: string) => env.DB.prepare(sql).bind(searchId).all<T>();
  return { organizationId, owner, searchId, reformulate, read };
}

/** The passages of a hit whose document has this many with the word; of a document that is asked for if `isChosen`. */
async function passagesShown(count: number, isChosen = false): Promise<number> {
  const { id: organizationId, owner } = await mintOrganization();
  const tenant = { organizationId };
  const texts = Array.from({ length: count }, (_, n) => `girder ${n}`);
  const documentId = await mintDocument(tenant, await mintLocation(tenant), texts);
  await indexTenant(organizationId);
  const { results } = await searchAs(owner.token, "girder", isChosen ? { documentId } : {});
  return results[0]?.passages.length ?? 0;
}

export const storedShownRows: readonly ShownRow[] = [
  {
    limit: "DEFAULT_HISTORY_PAGE_SIZE",
    most: cameras.DEFAULT_HISTORY_PAGE_SIZE,
    async shown(count) {
      const { owner, view } = await archive(Array.from({ length: count }, (_, n) => n * MINUTE));
      return (await expectJson(items, 200, "GET", view("captures"), owner)).items.length;
    },
  },
  {
    limit: "MAX_TIMELINE_GAPS",
    most: cameras.MAX_TIMELINE_GAPS,
    async shown(gaps) {
      // Three images a minute, and then nothing for two hours.
      const times = Array.from({ length: gaps + 1 }, (_, n) =>
        [0, 1, 2].map((minute) => n * 2 * HOUR + minute * MINUTE),
      );
      const { owner, view } = await archive(times.flat());
      return (await expectJson(timelineSchema, 200, "GET", view("timeline"), owner)).gaps.length;
    },
  },
  {
    limit: "MAX_CONDITIONS_PER_KIND",
    most: cameras.MAX_CONDITIONS_PER_KIND,
    async shown(count) {
      const { camera } = await mintDevice();
      await env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         INSERT INTO camera_conditions (camera_id, kind, started_at, ended_at, detail) SELECT ?1, 'paused', i, i + 1, '{}' FROM n`,
      )
        .bind(camera.id, count)
        .run();
      return (await conditionsBetween(systemContext().workspace, camera, 0, count + 2)).length;
    },
  },
  {
    limit: "MAX_LISTED_OPERATIONS",
    most: cameras.MAX_LISTED_OPERATIONS,
    async shown(count) {
      const device = await mintDevice();
      const { operationId } = await transfer(device);
      // Operations that are held for the operator do not count as unfinished.
      await copyRow("camera_frames", (await frameRow(operationId)).id, count - 1, {
        operation: "randomblob(16)",
        held_at: "1",
        status: "'verifying'",
      });
      const path = "/v1/camera-ingestion/uploads";
      return (await expectJson(items, 200, "GET", path, { token: device.token })).items.length;
    },
  },
  {
    limit: "MAX_LISTED_ENDED_LINKS",
    most: cameras.MAX_LISTED_ENDED_LINKS,
    async shown(count) {
      const { camera, organizationId, locationId, owner } = await mintDevice();
      const { id } = await mintShare(organizationId, locationId, [camera.id], { revokedAt: 1 });
      await copyRow("camera_shares", id, count - 1);
      const list = z.looseObject({ links: z.array(z.unknown()) });
      const path = `/v1/spatial/locations/${locationId}/camera-shares`;
      return (await expectJson(list, 200, "GET", path, owner)).links.length;
    },
  },
  {
    limit: "MAX_AUDITED_GRANTS",
    most: workspace.MAX_AUDITED_GRANTS,
    async shown(count) {
      const { id: organizationId, owner } = await mintOrganization();
      const { id: locationId } = await mintLocation({ organizationId });
      const { userId } = await mintMember(organizationId);
      const grantId = await mintGrant({ organizationId }, userId, "location", locationId, { LocationView: "Read" });
      await copyRow("grants", grantId, count - 1, { target_id: "printf('%08x', i) || substr(target_id, 9)" });
      await call("DELETE", `/v1/orgs/${organizationId}/members/${userId}`, owner);
      const entry = await env.DB.prepare(
        "SELECT json_array_length(details, '$.grants') AS named FROM audit_entries WHERE organization_id = ? AND action = 'member.removed'",
      )
        .bind(organizationId)
        .first<{ named: number }>();
      return entry?.named ?? 0;
    },
  },
  {
    limit: "MAX_STORED_TERM_LENGTH",
    most: search.MAX_STORED_TERM_LENGTH,
    async shown(count) {
      const { reformulate, read } = await searched();
      await reformulate("k".repeat(count));
      const { results } = await read<{ length: number }>(
        "SELECT length(reformulated_term) AS length FROM search_interactions WHERE search_id = ?",
      );
      return results[0]?.length ?? 0;
    },
  },
  {
    limit: "MAX_INTERACTIONS",
    most: search.MAX_INTERACTIONS,
    async shown(count) {
      const { reformulate, read } = await searched();
      await reformulate("pier");
      const { results } = await read<{ id: string }>("SELECT id FROM search_interactions WHERE search_id = ?");
      await copyRow("search_interactions", results[0]?.id ?? "", count - 2);
      await reformulate("quay");
      return (await read("SELECT 1 FROM search_interactions WHERE search_id = ?")).results.length;
    },
  },
  {
    limit: "MAX_INSIGHT_QUERIES",
    most: search.MAX_INSIGHT_QUERIES,
    async shown(count) {
      const { organizationId, owner, searchId } = await searched();
      await copyRow("search_impressions", searchId, count - 1, { term: "'term ' || i" });
      await env.DB.prepare(
        `INSERT INTO search_impression_organizations (organization_id, created_at, search_id)
         SELECT ?1, created_at, id FROM search_impressions WHERE user_id = ?2 AND id <> ?3`,
      )
        .bind(organizationId, owner.userId, searchId)
        .run();
      const path = `/v1/search/insights?organizationId=${organizationId}`;
      return (await expectJson(insightsSchema, 200, "GET", path, owner)).mostFrequent.length;
    },
  },
  {
    limit: "MAX_PASSAGES_PER_DOCUMENT",
    most: search.MAX_PASSAGES_PER_DOCUMENT,
    shown: (count) => passagesShown(count),
  },
  {
    limit: "MAX_LISTED_PASSAGES",
    most: search.MAX_LISTED_PASSAGES,
    shown: (count) => passagesShown(count, true),
  },
];
