import { z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { type Context, databaseIn, databaseNames } from "../context";
import { SCHEMA_VERSION } from "../db/schema-version";
import { DomainError } from "../errors";
import { describeFailure, log } from "../log";
import { createRouter, json, routeOf } from "./router";

export const healthRoutes = createRouter();

/** The databases without the newest migration of this version. */
async function databasesBehind(context: Context): Promise<string[]> {
  const newest = sql`SELECT 1 FROM d1_migrations WHERE name = ${SCHEMA_VERSION}`;
  const behind = await Promise.all(
    databaseNames(context).map(async (name) =>
      (await databaseIn(context, name).get(newest)) === undefined ? [name] : [],
    ),
  );
  return behind.flat();
}

const route = routeOf({ tags: ["Health"] });

const state = z.object({ status: z.literal("ok") }).openapi("HealthStatus");

healthRoutes.openapi(
  route({
    method: "get",
    path: "/healthz",
    operationId: "getLiveness",
    summary: "Get liveness",
    description: "Answers 200 while the service runs.",
    responses: { 200: json(state, "The service runs.") },
  }),
  (c) => c.json({ status: "ok" as const }, 200),
);

healthRoutes.openapi(
  route({
    method: "get",
    path: "/readyz",
    operationId: "getReadiness",
    summary: "Get readiness",
    description:
      "Answers 503 when the database, the object store or a queue does not answer, or when a migration of this version is not applied.",
    responses: { 200: json(state, "The service can answer requests.") },
  }),
  async (c) => {
    const context = c.get("context");
    const { stores, queues } = context;
    let behind: readonly string[];
    try {
      const answers = stores.all.map((objects) => objects.head("readyz"));
      [behind] = await Promise.all([databasesBehind(context), queues.light.metrics(), ...answers]);
    } catch (cause) {
      log("error", "readyz.failed", describeFailure(cause));
      throw new DomainError("unavailable", "A part of the service does not answer.", { retryAfter: 5, cause });
    }
    if (behind.length > 0) {
      log("error", "readyz.schema-too-old", { needed: SCHEMA_VERSION, databases: behind.join(" ") });
      throw new DomainError("unavailable", "The database has an older schema than the service. Apply the migrations.", {
        retryAfter: 5,
      });
    }
    return c.json({ status: "ok" as const }, 200);
  },
);
