import { env } from "cloudflare:workers";
import fc from "fast-check";
import type { GrantTarget } from "../../../src/access";
import { ROLES } from "../../../src/access";
import { openLiveDelivery } from "../../../src/hub";
import { SIGN_IN_REQUIREMENTS } from "../../../src/platform/caller";
import { newId } from "../../../src/platform/ids";
import { placeOf } from "../../permission/facts";
import type { Thing } from "../../permission/world";
import { levels } from "../../permission/worlds";
import { expectRevoked, type Listener, sees, type Universe } from "./universe";

const KINDS = [
  "role",
  "expulsion",
  "overrides",
  "entitlement",
  "requirement",
  "grant",
  "withdrawal",
  "grant-expiry",
  "narrowing",
  "end",
  "expiry",
  "deletion",
] as const;

/**
 * A random change with its kind, its subject and its new value. With `lookAgain` it is announced as the verbs do;
 * without it, no connection is checked.
 */
export const changes = fc.record({
  kind: fc.constantFrom(...KINDS),
  pick: fc.nat(),
  of: fc.nat(),
  role: fc.constantFrom(...ROLES),
  levels,
  lookAgain: fc.boolean(),
});
export type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never;

const write =
  (statement: string, ...values: (string | number | null)[]) =>
  async () => {
    await env.DB.prepare(statement)
      .bind(...values)
      .run();
  };

/** Changes the model at once. The returned function changes the database with one statement. */
export function apply(
  universe: Universe,
  change: Change,
): { commit: () => Promise<void>; lookAgain: () => Promise<void> } {
  const { world } = universe;
  const userId = at(world.userIds, change.pick);
  const listener = at(universe.listeners, change.pick);
  const live = openLiveDelivery(env);
  const ofUser = (commit: () => Promise<void>, user = userId) => ({
    commit,
    lookAgain: async () => {
      await live.recheckUsers([user]);
      expectLook(universe, ({ credential }) => credential.userId === user);
    },
  });
  switch (change.kind) {
    case "role":
    case "overrides": {
      const organizationId = at(world.organizations, change.of).id;
      const held = world.memberships.find((m) => m.userId === userId && m.organizationId === organizationId);
      const next = {
        userId,
        organizationId,
        role: change.kind === "role" ? change.role : (held?.role ?? change.role),
        overrides: change.kind === "overrides" ? change.levels : (held?.overrides ?? {}),
      };
      world.memberships = [...world.memberships.filter((m) => m !== held), next];
      return ofUser(
        write(
          `INSERT INTO memberships (user_id, organization_id, role, overrides, created_at) VALUES (?, ?, ?, ?, 0)
          ON CONFLICT DO UPDATE SET role = excluded.role, overrides = excluded.overrides`,
          userId,
          organizationId,
          next.role,
          JSON.stringify(next.overrides),
        ),
      );
    }
    case "expulsion": {
      const organizationId = at(world.organizations, change.of).id;
      world.memberships = world.memberships.filter((m) => m.userId !== userId || m.organizationId !== organizationId);
      return ofUser(write("DELETE FROM memberships WHERE user_id = ? AND organization_id = ?", userId, organizationId));
    }
    case "entitlement": {
      const organization = at(world.organizations, change.of);
      organization.cameras = !organization.cameras;
      return ofUser(
        write("UPDATE organizations SET cameras = ? WHERE id = ?", organization.cameras ? 1 : 0, organization.id),
      );
    }
    case "requirement": {
      const organization = at(world.organizations, change.of);
      organization.signInRequirement = SIGN_IN_REQUIREMENTS[change.pick % SIGN_IN_REQUIREMENTS.length] ?? "none";
      return ofUser(
        write(
          "UPDATE organizations SET sign_in_requirement = ? WHERE id = ?",
          organization.signInRequirement,
          organization.id,
        ),
      );
    }
    case "grant":
      return ofUser(give(universe, userId, change));
    case "withdrawal": {
      const grant = world.grants[change.of % Math.max(1, world.grants.length)];
      world.grants = world.grants.filter((g) => g !== grant);
      const statement = write(
        "DELETE FROM grants WHERE user_id = ? AND target_id = ?",
        grant?.userId ?? "",
        grant?.target.id ?? "",
      );
      return ofUser(statement, grant?.userId);
    }
    case "grant-expiry": {
      const grant = world.grants[change.of % Math.max(1, world.grants.length)];
      if (grant !== undefined) grant.expiresAt = 1;
      const statement = write(
        "UPDATE grants SET expires_at = 1 WHERE user_id = ? AND target_id = ?",
        grant?.userId ?? "",
        grant?.target.id ?? "",
      );
      return ofUser(statement, grant?.userId);
    }
    case "narrowing": {
      if (listener.kind !== "pat") return ofUser(async () => {});
      const organizationIds = change.of % 2 === 0 ? null : [at(world.organizations, change.of).id];
      Object.assign(listener.credential, { ceiling: change.levels, organizationIds });
      return ofUser(
        write(
          "UPDATE access_tokens SET capabilities = ?, organization_ids = ? WHERE id = ?",
          JSON.stringify(change.levels),
          organizationIds && JSON.stringify(organizationIds),
          listener.id,
        ),
        listener.credential.userId,
      );
    }
    case "end":
    case "expiry": {
      listener.alive = false;
      const table = listener.kind === "pat" ? "access_tokens" : "sessions";
      const column = change.kind === "end" ? "revoked_at" : "expires_at";
      return ofUser(write(`UPDATE ${table} SET ${column} = 1 WHERE id = ?`, listener.id), listener.credential.userId);
    }
    case "deletion": {
      const location = at(universe.locations, change.of);
      universe.deleted.add(location.id);
      return {
        commit: write("UPDATE locations SET deleted_at = 1 WHERE id = ?", location.id),
        lookAgain: async () => {
          await live.recheckLocations([location.id]);
          expectLook(universe, ({ joined }) => joined.has(location.id));
        },
      };
    }
  }
}

const at = <T>(from: readonly T[], n: number): T => from[n % from.length] as T;

/** Gives a person a grant on a cluster, location or document. It replaces an existing grant there. */
function give({ world }: Universe, userId: string, change: Change): () => Promise<void> {
  const targets = world.things.filter((thing) => thing.kind !== "content");
  const target: Thing = at(targets, change.of);
  const held = world.grants.find((g) => g.userId === userId && g.target.id === target.id);
  const next = { userId, target, levels: change.levels, expiresAt: null };
  world.grants = [...world.grants.filter((g) => g !== held), next];
  const { tenantId, organizationId } = placeOf(target);
  if (held !== undefined)
    return write(
      "UPDATE grants SET capabilities = ?, expires_at = NULL WHERE user_id = ? AND target_id = ?",
      JSON.stringify(change.levels),
      userId,
      target.id,
    );
  return write(
    `INSERT INTO grants (id, user_id, target, target_id, tenant_id, organization_id, capabilities, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, 0)`,
    newId(),
    userId,
    target.kind as GrantTarget,
    target.id,
    tenantId,
    organizationId,
    JSON.stringify(change.levels),
  );
}

/**
 * The effect of a check of some listeners: connections with an ended credential are closed, and subscriptions without
 * access are revoked.
 */
function expectLook(universe: Universe, of: (listener: Listener) => boolean): void {
  for (const listener of universe.listeners.filter(of)) {
    if (!listener.alive) listener.closed = true;
    else
      for (const location of universe.locations)
        if (listener.joined.has(location.id) && !sees(universe, listener, "LocationView", location))
          expectRevoked(listener, location.id);
  }
}
