import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { EXPIRY_BATCH_SIZE } from "../../src/access/jobs";
import { mintPerson, mintToken } from "../support/factories";
import { runThrough } from "../support/jobs";
import { mintSession, statusOf } from "../support/sessions";

const DAY = 24 * 3_600_000;

const count = async (sql: string, ...values: unknown[]): Promise<number> =>
  (
    await env.DB.prepare(`SELECT count(*) AS n FROM ${sql}`)
      .bind(...values)
      .first<{ n: number }>()
  )?.n ?? -1;

describe("credentials that ended long ago", () => {
  test("are deleted, and live or recently ended ones stay", async () => {
    const { userId, token } = await mintPerson();
    const now = Date.now();
    const live = await mintSession(userId);
    const lately = await mintSession(userId, { expiresAt: now - DAY });
    const gone = await mintSession(userId, { expiresAt: now - 8 * DAY });
    const insert = env.DB.prepare(
      "INSERT INTO refresh_tokens (secret_hash, session_id, created_at, expires_at) VALUES (?, ?, 0, ?)",
    );
    await env.DB.batch([
      insert.bind("live", live.id, now + DAY),
      insert.bind("ended", live.id, now - 1),
      insert.bind("of-gone", gone.id, now - 8 * DAY),
    ]);
    const revoked = await mintToken(userId, { revokedAt: now - 91 * DAY });
    const expired = await mintToken(userId, { expiresAt: now - 91 * DAY });
    const revokedLately = await mintToken(userId, { revokedAt: now - 89 * DAY });
    await runThrough("expire-credentials", [{}]);
    const ids = async (table: string) =>
      (
        await env.DB.prepare(`SELECT id FROM ${table} WHERE user_id = ? ORDER BY id`).bind(userId).all<{ id: string }>()
      ).results.map(({ id }) => id);
    expect(await ids("sessions")).toEqual([live.id, lately.id]);
    expect(await ids("access_tokens")).toContain(revokedLately.id);
    for (const { id } of [revoked, expired]) expect(await ids("access_tokens")).not.toContain(id);
    const hashes = await env.DB.prepare(
      "SELECT secret_hash AS h FROM refresh_tokens WHERE secret_hash IN ('live', 'ended', 'of-gone')",
    ).all<{ h: string }>();
    expect(hashes.results).toEqual([{ h: "live" }]);
    expect([await statusOf(live.token), await statusOf(token)]).toEqual([200, 200]);
  });

  test("are deleted in batches until none is left", async () => {
    const { userId } = await mintPerson();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO sessions (id, user_id, created_at, last_used_at, expires_at, user_agent, ip)
       SELECT 'session-' || i, ?1, 0, 0, i, '', '' FROM n`,
    )
      .bind(userId, 2 * EXPIRY_BATCH_SIZE + 1)
      .run();
    await runThrough("expire-credentials", [{}]);
    expect(await count("sessions WHERE user_id = ?", userId)).toBe(0);
  });
});
