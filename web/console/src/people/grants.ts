import {
  dataOf,
  type Grant,
  type GrantCreate,
  type GrantList,
  type GrantUpdate,
} from "../../../../client/src/index.ts";
import { api } from "../platform/session.ts";

export type Kind = "location" | "cluster" | "document";

/** The calls that read and change the shares of one resource. */
export interface Grants {
  list(cursor: string | undefined): Promise<GrantList>;
  create(body: GrantCreate): Promise<Grant>;
  update(grantId: string, body: GrantUpdate): Promise<Grant>;
  remove(grantId: string): Promise<void>;
}

const query = (cursor: string | undefined) => ({ limit: 100, cursor });

function ofLocation(locationId: string): Grants {
  const [all, one] = [
    "/v1/spatial/locations/{locationId}/grants",
    "/v1/spatial/locations/{locationId}/grants/{grantId}",
  ] as const;
  const path = (grantId: string) => ({ params: { path: { locationId, grantId } } });
  return {
    list: (cursor) => dataOf(api.GET(all, { params: { path: { locationId }, query: query(cursor) } })),
    create: (body) => dataOf(api.POST(all, { params: { path: { locationId } }, body })),
    update: (grantId, body) => dataOf(api.PATCH(one, { ...path(grantId), body })),
    remove: async (grantId) => {
      await dataOf(api.DELETE(one, path(grantId)));
    },
  };
}

function ofCluster(clusterId: string): Grants {
  const [all, one] = [
    "/v1/spatial/clusters/{clusterId}/grants",
    "/v1/spatial/clusters/{clusterId}/grants/{grantId}",
  ] as const;
  const path = (grantId: string) => ({ params: { path: { clusterId, grantId } } });
  return {
    list: (cursor) => dataOf(api.GET(all, { params: { path: { clusterId }, query: query(cursor) } })),
    create: (body) => dataOf(api.POST(all, { params: { path: { clusterId } }, body })),
    update: (grantId, body) => dataOf(api.PATCH(one, { ...path(grantId), body })),
    remove: async (grantId) => {
      await dataOf(api.DELETE(one, path(grantId)));
    },
  };
}

function ofDocument(documentId: string): Grants {
  const [all, one] = ["/v1/documents/{documentId}/grants", "/v1/documents/{documentId}/grants/{grantId}"] as const;
  const path = (grantId: string) => ({ params: { path: { documentId, grantId } } });
  return {
    list: (cursor) => dataOf(api.GET(all, { params: { path: { documentId }, query: query(cursor) } })),
    create: (body) => dataOf(api.POST(all, { params: { path: { documentId } }, body })),
    update: (grantId, body) => dataOf(api.PATCH(one, { ...path(grantId), body })),
    remove: async (grantId) => {
      await dataOf(api.DELETE(one, path(grantId)));
    },
  };
}

/** The shares of a resource. */
export const grantsOf = (kind: Kind, id: string): Grants =>
  ({ location: ofLocation, cluster: ofCluster, document: ofDocument })[kind](id);
