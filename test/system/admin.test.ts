import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { adminStatements, readCommand } from "../../scripts/admin.mjs";
import { copyPreparedState } from "../../scripts/service/prepared.mjs";
import { RESET_LIFETIME_MS } from "../../src/access/limits";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { adminOf } from "./support/admin";
import { openState } from "./support/state";

const EMAIL = "o'brien@people.test";
const stateDir = mkdtempSync(join(tmpdir(), "admin-"));
const { query, run } = adminOf(stateDir);

beforeAll(() => {
  copyPreparedState(stateDir);
  const email = EMAIL.replaceAll("'", "''");
  query(`INSERT INTO users (id, email, display_name, created_at) VALUES ('user-1', '${email}', 'O''Brien', 0)`);
});
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

const admins = () => query("SELECT email FROM users WHERE is_admin = 1").map(({ email }) => email);

test("the operator grants and revokes the rights of a platform admin, each with one audit row", async () => {
  const granted = await run("grant", " O'Brien@People.test ");
  expect(granted).toMatchObject({ code: 0 });
  expect(granted.said).toContain("never verified");
  expect(admins()).toEqual([EMAIL]);
  expect((await run("grant", EMAIL)).code).toBe(0);
  expect((await run("revoke", EMAIL)).code).toBe(0);
  expect(admins()).toEqual([]);
  const audit = query("SELECT action, subject_id, actor_kind FROM audit_entries ORDER BY created_at");
  expect(audit).toEqual(
    ["admin.granted", "admin.revoked"].map((action) => ({ action, subject_id: "user-1", actor_kind: "system" })),
  );
});

test("the operator prints a link that sets a new password, once, with an audit row", async () => {
  const { code, said } = await run("reset-password", EMAIL);
  expect(code).toBe(0);
  const [, token] = /http:\/\/127\.0\.0\.1:\d+\/password-reset#([0-9a-f]{64})\n/.exec(said) ?? [];
  const hash = createHash("sha256").update(z.string().parse(token)).digest("hex");
  expect(query("SELECT user_id, is_mailed, expires_at - created_at AS life FROM password_resets")).toEqual([
    { user_id: "user-1", is_mailed: 0, life: RESET_LIFETIME_MS },
  ]);
  expect(query(`SELECT 1 AS found FROM password_resets WHERE secret_hash = '${hash}'`)).toEqual([{ found: 1 }]);
  expect(query("SELECT subject_id FROM audit_entries WHERE action = 'password-reset.created'")).toEqual([
    { subject_id: "user-1" },
  ]);
  expect((await run("reset-password", "nobody@people.test")).said).toContain("no account");
});

test("the operator ends the tokens of the account with the link, and without the option they stay", async () => {
  query(
    `INSERT INTO access_tokens (id, user_id, name, secret_hash, created_at) VALUES ('token-1', 'user-1', 'x', 'y', 0)`,
  );
  const live = () => query("SELECT id FROM access_tokens WHERE revoked_at IS NULL");
  expect((await run("reset-password", EMAIL)).said).toContain("tokens stay");
  expect(live()).toHaveLength(1);
  expect((await run("reset-password", EMAIL, "--end-tokens")).said).toContain("tokens have ended");
  expect(live()).toEqual([]);
  expect(query("SELECT 1 AS found FROM audit_entries WHERE details LIKE '%tokens%ended%'")).toHaveLength(1);
});

test("the operator ends the tokens of an account, also of one without a password", async () => {
  query(
    `INSERT INTO access_tokens (id, user_id, name, secret_hash, created_at) VALUES ('token-2', 'user-1', 'x', 'z', 0)`,
  );
  for (const again of [1, 2]) expect(await run("end-tokens", EMAIL), `try ${again}`).toMatchObject({ code: 0 });
  expect(query("SELECT id FROM access_tokens WHERE revoked_at IS NULL")).toEqual([]);
  const audit = query("SELECT subject_id, details FROM audit_entries WHERE action = 'token.revoked'");
  expect(audit).toEqual([{ subject_id: "user-1", details: '{"reason":"operator"}' }]);
  expect((await run("end-tokens", "nobody@people.test")).said).toContain("no account");
});

test("the operator removes a second factor, once, with an audit row and a mail", async () => {
  query("UPDATE users SET second_factor_at = 1 WHERE id = 'user-1'");
  query("INSERT INTO recovery_codes (code_hash, user_id, created_at) VALUES ('x', 'user-1', 0)");
  query(`INSERT INTO passkey_challenges (challenge_hash, purpose, user_id, created_at, expires_at)
    VALUES ('x', 'second-factor', 'user-1', 0, 1)`);
  expect(await run("remove-second-factor", EMAIL)).toMatchObject({ code: 0 });
  expect(query("SELECT second_factor_at AS since FROM users")).toEqual([{ since: null }]);
  expect(query("SELECT 1 FROM recovery_codes UNION ALL SELECT 1 FROM passkey_challenges")).toEqual([]);
  expect((await run("remove-second-factor", EMAIL)).said).toContain("asks for nothing");
  const audit = query("SELECT subject_id, actor_kind FROM audit_entries WHERE action = 'second-factor.switched-off'");
  expect(audit).toEqual([{ subject_id: "user-1", actor_kind: "system" }]);
  const [job] = query("SELECT payload FROM jobs WHERE kind = 'mail-second-factor'");
  expect(JSON.parse(z.string().parse(job?.payload))).toEqual({ userId: "user-1", about: "off" });
  expect((await run("remove-second-factor", "nobody@people.test")).said).toContain("no account");
});

test("it waits for a running service that is writing at that moment", async () => {
  const file = openState(stateDir);
  file.exec("BEGIN IMMEDIATE");
  const child = spawn(process.execPath, ["scripts/admin.mjs", "grant", EMAIL], {
    env: { ...process.env, STATE_DIR: stateDir },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  // Without its patience, the command would fail in this time.
  await eventually(() => expect(said).toContain("Reaching"), LONG_PATIENCE);
  setTimeout(() => file.exec("COMMIT"), 2_000);
  const [code] = await once(child, "close");
  file.close();
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("now a platform administrator") });
  expect((await run("revoke", EMAIL)).code).toBe(0);
});

test("the operator lists deleted organizations with their receipts, and restores one until its removal begins", async () => {
  const id = "0193aaaa-0000-7000-8000-000000000001";
  const removed = "0193aaaa-0000-7000-8000-000000000002";
  query(`INSERT INTO people (id, email, display_name) VALUES ('user-1', 'o@people.test', 'O''Brien')`);
  query(`INSERT INTO organizations (id, name, cameras, external_shares, document_storage_bytes, jobs_per_month,
    max_retention_days, created_at, updated_at, deleted_at, deleted_by, purge_at)
    VALUES ('${id}', 'Harbour ''n'' pier', 0, 0, 0, 0, 1, 0, 0, 1000, 'user-1', 86400000)`);
  query(`INSERT INTO removals (workspace_id, name, deleted_at, started_at, finished_at, contents)
    VALUES ('${removed}', 'Old works', 1, 2, 3, '[{"kind":"documents","count":7,"bytes":9}]')`);
  const listed = await run("deleted-organizations");
  expect(listed.said).toContain(`Harbour 'n' pier (${id})`);
  expect(listed.said).toContain("can be restored until 1970-01-02T00:00:00.000Z");
  expect(listed.said).toContain("documents: 7 (9 bytes)");
  expect((await run("restore-organization", id)).said).toContain("has no owner any more");
  query(`INSERT INTO memberships (organization_id, user_id, role, created_at) VALUES ('${id}', 'user-1', 'owner', 0)`);
  expect(await run("restore-organization", id)).toMatchObject({ code: 0 });
  expect(query(`SELECT deleted_at, revision FROM organizations WHERE id = '${id}'`)).toEqual([
    { deleted_at: null, revision: 2 },
  ]);
  expect(query(`SELECT action FROM audit_entries WHERE organization_id = '${id}'`)).toEqual([
    { action: "organization.restored" },
  ]);
  expect((await run("restore-organization", removed)).said).toContain("everything in it was removed");
});

test("an account that does not exist is a plain message, and changes nothing", async () => {
  const { code, said } = await run("grant", "nobody@people.test");
  expect(code).toBe(1);
  expect(said).toContain("no account");
  expect(said).not.toContain("at ");
});

describe("the command line", () => {
  test("is refused when it is not understood", () => {
    for (const args of [
      [],
      ["grant"],
      ["make", "a@b.test"],
      ["grant", "a@b.test", "more"],
      ["grant", "a@b.test", "--force"],
      ["grant", "a@b.test", "--end-tokens"],
      ["deleted-organizations", "more"],
      ["restore-organization"],
    ])
      expect(() => readCommand(args)).toThrow("npm run admin");
    for (const email of ["nobody", "a b@c.test", "a@b@c", "a@b\n.test", `${"a".repeat(300)}@b.test`])
      expect(() => readCommand(["grant", email])).toThrow("is not an e-mail address");
  });

  test("takes only the id of an organization, in any case", () => {
    const id = "0193AAAA-0000-7000-8000-000000000001";
    expect(readCommand(["restore-organization", id, "--remote"])).toMatchObject({
      organizationId: id.toLowerCase(),
      remote: true,
    });
    for (const wrong of ["Harbour", "x' OR 1=1 --"])
      expect(() => readCommand(["restore-organization", wrong])).toThrow("not the id");
  });

  test("cannot put SQL into the statement", () => {
    const email = "x'/**/or/**/1=1;--@people.test";
    const sql = adminStatements(readCommand(["grant", email]), { id: "id", now: 1 }).join(";\n");
    expect(sql).toContain("'x''/**/or/**/1=1;--@people.test'");
    expect(sql.replaceAll("''", "").split("'").length % 2).toBe(1);
  });
});
