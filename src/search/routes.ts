import { z } from "@hono/zod-openapi";
import { forUsers } from "../access";
import { createRouter, json, jsonBody, routeOf } from "../platform/http/router";
import { indexRoutes } from "./admin/routes";
import { searchBody, searchResponse, suggestionsBody, suggestionsResponse } from "./schemas";
import { search } from "./search";
import { suggest } from "./suggestions";
import { insightsQuery, insightsSchema, interactionBody, readInsights, recordInteraction } from "./telemetry";

export const searchRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Search"] });

searchRoutes.openapi(
  route({
    method: "post",
    path: "/v1/search",
    placed: "none",
    operationId: "search",
    summary: "Search everything you may see",
    request: { body: jsonBody(searchBody) },
    responses: { 200: json(searchResponse, "The best results first") },
  }),
  async (c) => c.json(await search(c.get("context"), c.req.valid("json")), 200),
);

searchRoutes.openapi(
  route({
    method: "post",
    path: "/v1/search/suggestions",
    placed: "none",
    operationId: "suggestSearches",
    summary: "Get suggestions for a search term",
    request: { body: jsonBody(suggestionsBody) },
    responses: { 200: json(suggestionsResponse, "Completions, then names") },
  }),
  async (c) => {
    const { term, scope } = c.req.valid("json");
    return c.json({ suggestions: await suggest(c.get("context"), term, scope) }, 200);
  },
);

searchRoutes.openapi(
  route({
    method: "post",
    path: "/v1/search/interactions",
    placed: "none",
    operationId: "recordSearchInteraction",
    summary: "Record an interaction with a search result",
    request: { body: jsonBody(interactionBody) },
    responses: {
      202: json(z.object({ accepted: z.literal(true) }).openapi("SearchInteractionResult"), "Recorded"),
    },
  }),
  async (c) => {
    await recordInteraction(c.get("context"), c.req.valid("json"));
    return c.json({ accepted: true as const }, 202);
  },
);

searchRoutes.openapi(
  route({
    method: "get",
    path: "/v1/search/insights",
    placed: { fields: ["organizationId"] },
    operationId: "getSearchInsights",
    summary: "Get search insights of an organization",
    description: "Shows what people of the organization search for. Only for owners and admins.",
    request: { query: insightsQuery },
    responses: { 200: json(insightsSchema, "Counts over a period") },
  }),
  async (c) => c.json(await readInsights(c.get("context"), c.req.valid("query")), 200),
);

searchRoutes.route("/", indexRoutes);
