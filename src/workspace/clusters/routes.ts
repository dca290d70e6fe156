import { z } from "@hono/zod-openapi";
import { forUsers, READ, requireUser } from "../../access";
import { pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { levelsTag, organizationIdSchema, patchSchema } from "../fields";
import { requireCluster, spatialQuery } from "../spatial";
import { deletionQuery } from "../trash/trash";
import {
  clusterFields,
  clusterSchema,
  createCluster,
  deleteCluster,
  listClusters,
  presentCluster,
  restoreCluster,
  updateCluster,
} from "./clusters";

export const clusterRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Clusters"] });
const params = z.object({ clusterId: idSchema });
const newCluster = z
  .strictObject({
    organizationId: organizationIdSchema.openapi({
      description: "The organization of the cluster. Null: your personal workspace.",
    }),
    name: clusterFields.name,
    description: clusterFields.description.optional(),
    metadata: clusterFields.metadata.optional(),
  })
  .openapi("ClusterCreate");

clusterRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/clusters",
    placed: { fields: ["organizationId"] },
    operationId: "listClusters",
    summary: "List clusters",
    description: "Contains the clusters that you may see.",
    request: { query: spatialQuery },
    responses: { 200: json(pageSchema("ClusterList", clusterSchema), "A page of clusters") },
  }),
  async (c) => c.json(await listClusters(c.get("context"), c.req.valid("query")), 200),
);

clusterRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/clusters",
    locates: "/v1/spatial/clusters/{id}",
    placed: { fields: ["organizationId"], otherwise: "personal" },
    operationId: "createCluster",
    summary: "Create a cluster",
    request: { body: jsonBody(newCluster) },
    responses: { 201: json(clusterSchema, "The cluster") },
  }),
  async (c) => {
    const cluster = await createCluster(c.get("context"), c.req.valid("json"));
    setRevision(c, cluster.revision, levelsTag(cluster.capabilities));
    return c.json(cluster, 201);
  },
);

clusterRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/clusters/{clusterId}",
    operationId: "getCluster",
    summary: "Get a cluster",
    request: { params },
    responses: { 200: json(clusterSchema, "The cluster") },
  }),
  async (c) => {
    const context = c.get("context");
    const row = await requireCluster(context, c.req.valid("param").clusterId, "ClusterView", READ);
    const cluster = presentCluster(requireUser(context), row);
    setRevision(c, cluster.revision, levelsTag(cluster.capabilities));
    return c.json(cluster, 200);
  },
);

clusterRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/spatial/clusters/{clusterId}",
    operationId: "updateCluster",
    summary: "Update a cluster",
    request: { params, body: jsonBody(patchSchema(clusterFields).openapi("ClusterUpdate")) },
    responses: { 200: json(clusterSchema, "The cluster") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const cluster = await updateCluster(
      c.get("context"),
      c.req.valid("param").clusterId,
      body,
      preconditionOf(c, body),
    );
    setRevision(c, cluster.revision, levelsTag(cluster.capabilities));
    return c.json(cluster, 200);
  },
);

clusterRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/spatial/clusters/{clusterId}",
    operationId: "deleteCluster",
    summary: "Delete a cluster and everything in it",
    description: "You can restore it until its time in the trash ends.",
    request: { params, query: deletionQuery },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { purge } = c.req.valid("query");
    await deleteCluster(c.get("context"), c.req.valid("param").clusterId, preconditionOf(c, {}), purge);
    return c.body(null, 204);
  },
);

clusterRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/clusters/{clusterId}/restore",
    operationId: "restoreCluster",
    summary: "Restore a deleted cluster and its contents",
    request: { params },
    responses: { 200: json(clusterSchema, "The cluster") },
  }),
  async (c) => {
    const cluster = await restoreCluster(c.get("context"), c.req.valid("param").clusterId);
    setRevision(c, cluster.revision, levelsTag(cluster.capabilities));
    return c.json(cluster, 200);
  },
);
