import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { insertPerson } from "../../src/access/people";
import { beginChange } from "../../src/platform/db/change";
import { NO_WORKSPACE } from "../../src/platform/db/residence";
import { call } from "../support/call";
import { addMember, mintOrganization } from "../support/factories";
import { runThrough, systemContext } from "../support/jobs";
import { mintSignedIn } from "../support/sessions";

const nameOf = (userId: string) =>
  env.DB.prepare("SELECT display_name FROM people WHERE id = ?").bind(userId).first<string>("display_name");

test("a new name is copied to the workspace side before the answer", async () => {
  const person = await mintSignedIn();
  const { id, owner } = await mintOrganization();
  await addMember(id, person.userId, "member");
  const renamed = await call("PATCH", "/v1/auth/me", { token: person.token, body: { displayName: "Grace Hopper" } });
  expect(renamed.status).toBeLessThan(300);
  const members = await call("GET", `/v1/orgs/${id}/members`, owner);
  expect(await members.text()).toContain("Grace Hopper");
});

test("the job copies a name that a stopped worker left, and an older copy does not replace a newer one", async () => {
  const { userId, email } = await mintSignedIn();
  await env.DB.prepare("UPDATE users SET display_name = 'New', named_at = 2 WHERE id = ?").bind(userId).run();
  await runThrough("copy-person", [{ userId }]);
  expect(await nameOf(userId)).toBe("New");
  const context = systemContext();
  await beginChange(context, NO_WORKSPACE)
    .add(insertPerson(context, { id: userId, email, displayName: "Old", namedAt: 1 }))
    .commit();
  expect(await nameOf(userId)).toBe("New");
});
