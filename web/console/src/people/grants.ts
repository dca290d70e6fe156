import {
  dataOf,
  type Grant,
  type GrantCreate,
  type GrantList,
  type GrantUpdate,
  type WaitingShare,
  type WaitingShareList,
} from "../../../../client/src/index.ts";
import { api } from "../platform/session.ts";

export type Kind = "location" | "cluster" | "document";

/** The calls that read and change the shares of one resource. */
export interface Grants {
  list(cursor: string | undefined): Promise<GrantList>;
  /** @returns the grant, or the share that waits for the person with the address */
  create(body: GrantCreate): Promise<Grant | WaitingShare>;
  update(grantId: string, body: GrantUpdate): Promise<Grant>;
  remove(grantId: string): Promise<void>;
  listWaiting(cursor: string | undefined): Promise<WaitingShareList>;
  removeWaiting(waitingShareId: string): Promise<void>;
}

/** Whether what was made is a share that waits for a person. */
export const isWaiting = (made: Grant | WaitingShare): made is WaitingShare => "waitsUntilUtc" in made;

const query = (cursor: string | undefined) => ({ limit: 100, cursor });

function ofLocation(locationId: string): Grants {
  const [all, one] = [
    "/v1/spatial/locations/{locationId}/grants",
    "/v1/spatial/locations/{locationId}/grants/{grantId}",
  ] as const;
  const [waiting, oneWaiting] = [
    "/v1/spatial/locations/{locationId}/waiting-shares",
    "/v1/spatial/locations/{locationId}/waiting-shares/{waitingShareId}",
  ] as const;
  const path = (grantId: string) => ({ params: { path: { locationId, grantId } } });
  return {
    list: (cursor) => dataOf(api.GET(all, { params: { path: { locationId }, query: query(cursor) } })),
    create: (body) => dataOf(api.POST(all, { params: { path: { locationId } }, body })),
    update: (grantId, body) => dataOf(api.PATCH(one, { ...path(grantId), body })),
    remove: async (grantId) => {
      await dataOf(api.DELETE(one, path(grantId)));
    },
    listWaiting: (cursor) => dataOf(api.GET(waiting, { params: { path: { locationId }, query: query(cursor) } })),
    removeWaiting: async (waitingShareId) => {
      await dataOf(api.DELETE(oneWaiting, { params: { path: { locationId, waitingShareId } } }));
    },
  };
}

function ofCluster(clusterId: string): Grants {
  const [all, one] = [
    "/v1/spatial/clusters/{clusterId}/grants",
    "/v1/spatial/clusters/{clusterId}/grants/{grantId}",
  ] as const;
  const [waiting, oneWaiting] = [
    "/v1/spatial/clusters/{clusterId}/waiting-shares",
    "/v1/spatial/clusters/{clusterId}/waiting-shares/{waitingShareId}",
  ] as const;
  const path = (grantId: string) => ({ params: { path: { clusterId, grantId } } });
  return {
    list: (cursor) => dataOf(api.GET(all, { params: { path: { clusterId }, query: query(cursor) } })),
    create: (body) => dataOf(api.POST(all, { params: { path: { clusterId } }, body })),
    update: (grantId, body) => dataOf(api.PATCH(one, { ...path(grantId), body })),
    remove: async (grantId) => {
      await dataOf(api.DELETE(one, path(grantId)));
    },
    listWaiting: (cursor) => dataOf(api.GET(waiting, { params: { path: { clusterId }, query: query(cursor) } })),
    removeWaiting: async (waitingShareId) => {
      await dataOf(api.DELETE(oneWaiting, { params: { path: { clusterId, waitingShareId } } }));
    },
  };
}

function ofDocument(documentId: string): Grants {
  const [all, one] = ["/v1/documents/{documentId}/grants", "/v1/documents/{documentId}/grants/{grantId}"] as const;
  const [waiting, oneWaiting] = [
    "/v1/documents/{documentId}/waiting-shares",
    "/v1/documents/{documentId}/waiting-shares/{waitingShareId}",
  ] as const;
  const path = (grantId: string) => ({ params: { path: { documentId, grantId } } });
  return {
    list: (cursor) => dataOf(api.GET(all, { params: { path: { documentId }, query: query(cursor) } })),
    create: (body) => dataOf(api.POST(all, { params: { path: { documentId } }, body })),
    update: (grantId, body) => dataOf(api.PATCH(one, { ...path(grantId), body })),
    remove: async (grantId) => {
      await dataOf(api.DELETE(one, path(grantId)));
    },
    listWaiting: (cursor) => dataOf(api.GET(waiting, { params: { path: { documentId }, query: query(cursor) } })),
    removeWaiting: async (waitingShareId) => {
      await dataOf(api.DELETE(oneWaiting, { params: { path: { documentId, waitingShareId } } }));
    },
  };
}

/** The shares of a resource. */
export const grantsOf = (kind: Kind, id: string): Grants =>
  ({ location: ofLocation, cluster: ofCluster, document: ofDocument })[kind](id);
