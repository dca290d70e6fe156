import { dataOf, type Organization } from "../../../../client/src/index.ts";
import { roleShares } from "../people/index.ts";
import { api } from "../platform/session.ts";

/** What a new organization has, besides its locations. */
export interface Beginning {
  organization: Organization;
  documents: boolean;
  people: boolean;
  camera: boolean;
  /** Whether the organization may have cameras. */
  mayHaveCameras: boolean;
}

const keyOf = (organizationId: string): string => `first-steps ${organizationId}`;
/** Remembers in this browser whether the steps of an organization are over: done, or hidden. */
export const remember = (organizationId: string, isOver: boolean): void => {
  if (isOver) localStorage.setItem(keyOf(organizationId), "over");
  else localStorage.removeItem(keyOf(organizationId));
};

/** Reads how far an organization is. Null if its steps are over, or if the person does not manage it. */
export async function readBeginning(organization: Organization | null): Promise<Beginning | null> {
  if (organization === null || !roleShares(organization)) return null;
  const { id: organizationId } = organization;
  if (localStorage.getItem(keyOf(organizationId)) !== null) return null;
  const path = { organizationId };
  try {
    const [{ kinds }, { cameras: mayHaveCameras }, members, invitations, cameras] = await Promise.all([
      dataOf(api.GET("/v1/orgs/{organizationId}/storage", { params: { path } })),
      dataOf(api.GET("/v1/orgs/{organizationId}/entitlements", { params: { path } })),
      dataOf(api.GET("/v1/orgs/{organizationId}/members", { params: { path, query: { limit: 2 } } })),
      dataOf(api.GET("/v1/orgs/{organizationId}/invitations", { params: { path, query: { limit: 1 } } })),
      dataOf(api.GET("/v1/cameras", { params: { query: { organizationId, limit: 1 } } })),
    ]);
    return {
      organization,
      documents: kinds.documentBytes > 0,
      people: members.items.length > 1 || invitations.items.length > 0,
      camera: cameras.items.length > 0,
      mayHaveCameras,
    };
  } catch {
    // The locations are shown without the steps.
    return null;
  }
}
