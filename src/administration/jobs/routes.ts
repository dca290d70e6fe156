import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { JOB_LANES } from "../../platform/jobs/kinds";
import { MAX_RERUN_JOBS } from "../limits";
import { administeredJobSchema, jobKindSchema, lanesSchema, listJobs, readLanes, rerunJobs, rerunSchema } from "./jobs";

export const administeredJobRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Administration"], placed: "none" });
const description = "Only for platform administrators.";

administeredJobRoutes.openapi(
  route({
    method: "get",
    path: "/v1/admin/queues",
    operationId: "getQueues",
    summary: "Get the open and failed jobs of each lane",
    description,
    responses: { 200: json(lanesSchema, "The lanes") },
  }),
  async (c) => c.json(await readLanes(c.get("context")), 200),
);

administeredJobRoutes.openapi(
  route({
    method: "get",
    path: "/v1/admin/jobs",
    operationId: "listJobs",
    summary: "List failed or open jobs",
    description,
    request: {
      query: pageQuery.extend({
        state: z.enum(["failed", "open"]).default("failed").openapi({
          description:
            "`failed`: the newest failure comes first. `open`: the jobs that wait or run, the first due one first.",
        }),
        lane: z.enum(JOB_LANES).optional(),
        kind: jobKindSchema.optional(),
      }),
    },
    responses: { 200: json(pageSchema("AdministeredJobList", administeredJobSchema), "A page of jobs") },
  }),
  async (c) => c.json(await listJobs(c.get("context"), c.req.valid("query")), 200),
);

administeredJobRoutes.openapi(
  route({
    method: "post",
    path: "/v1/admin/jobs/rerun",
    operationId: "rerunJobs",
    summary: "Run failed jobs again",
    description: `Name the jobs or their kind. Runs up to ${MAX_RERUN_JOBS} of them, oldest failure first: a new job takes the place of each. Only for platform administrators.`,
    request: { body: jsonBody(rerunSchema) },
    responses: {
      202: json(
        z
          .object({
            rerun: z.int().openapi({ description: "Number of jobs that run again." }),
            remaining: z.boolean().openapi({ description: "Whether more failed jobs of this kind are left." }),
          })
          .openapi("RerunJobs"),
        "The number of jobs",
      ),
    },
  }),
  async (c) => c.json(await rerunJobs(c.get("context"), c.req.valid("json")), 202),
);
