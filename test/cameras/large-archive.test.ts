import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { MINUTE } from "../../src/platform/time";
import { call } from "../support/call";
import { type CameraSite, mintCameraSite } from "../support/cameras";
import { costsOf } from "../support/costs";
import type { Person } from "../support/factories";

/*
 * The number of rows that pages about cameras read must not grow with the archive. The two cameras took an image a
 * minute; one archive is twenty times as long.
 */

const SIZES = [2_000, 40_000];

/** Fills an archive with an image a minute up to now. */
const fill = ({ camera, locationId }: CameraSite, count: number, now: number) =>
  env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
     INSERT INTO camera_frames (place, section, captured_at, id, operation, generation, status, received_at, finished_at,
       is_estimated, size_bytes, checksum, charged_bytes, crc32, width, height, preview_width, preview_height)
     SELECT place, 0, ?3 - i * ${MINUTE}, lower(hex(randomblob(16))), randomblob(16), 1, 'completed', ?3 - i * ${MINUTE},
       ?3 - i * ${MINUTE}, 0, 1, zeroblob(32), 1, 0, 1920, 1080, 128, 72
     FROM n CROSS JOIN camera_places WHERE camera_id = ?1 AND location_id = ?2`,
  )
    .bind(camera.id, locationId, now, count)
    .run();

const get = ({ token }: Person, path: string) => call("GET", path, { token, bindings: {} });

let sites: CameraSite[];
beforeAll(async () => {
  sites = [];
  for (const count of SIZES) {
    const site = await mintCameraSite({ retentionDays: 365 });
    await fill(site, count, Date.now());
    sites.push(site);
  }
});

/** The rows that each request may read, including the rows of its caller. */
const requests: Record<string, [most: number, send: (site: CameraSite) => Promise<Response>]> = {
  "the wall": [200, ({ owner, locationId }) => get(owner, `/v1/cameras?locationId=${locationId}`)],
  "the cameras of a location": [
    20,
    ({ owner, locationId }) => get(owner, `/v1/spatial/locations/${locationId}/cameras`),
  ],
  "a camera": [15, ({ owner, camera }) => get(owner, `/v1/cameras/${camera.id}`)],
  "the latest images": [
    40,
    ({ owner, locationId, camera }) =>
      call("POST", `/v1/spatial/locations/${locationId}/cameras/latest-previews`, {
        token: owner.token,
        body: { cameraIds: [camera.id] },
        bindings: {},
      }),
  ],
  "the storage of an organization": [
    80,
    ({ owner, organizationId }) => get(owner, `/v1/orgs/${organizationId}/storage`),
  ],
};

test.each(Object.entries(requests))("%s: a long archive costs no more rows", async (_, [most, send]) => {
  for (const site of sites) {
    const { rowsRead } = await costsOf(async () => expect((await send(site)).status).toBe(200));
    expect(rowsRead).toBeGreaterThan(0);
    expect(rowsRead).toBeLessThanOrEqual(most);
  }
});
