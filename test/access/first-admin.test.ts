import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { register } from "../support/sessions";

// Twenty times the work of hashing a password.
test("of twenty people who register at once, exactly one becomes the first admin", { timeout: 240_000 }, async () => {
  const vars = { FIRST_USER_IS_ADMIN: "true" };
  const people = await Promise.all(Array.from({ length: 20 }, () => register({}, { vars })));
  expect(people.filter(({ user }) => user.isAdmin)).toHaveLength(1);
  const admins = await env.DB.prepare("SELECT count(*) AS n FROM users WHERE is_admin = 1").first();
  expect(admins).toEqual({ n: 1 });
  const audit = await env.DB.prepare("SELECT subject_id FROM audit_entries WHERE action = 'admin.granted'").all();
  expect(audit.results).toEqual([{ subject_id: people.find(({ user }) => user.isAdmin)?.user.id }]);
});
