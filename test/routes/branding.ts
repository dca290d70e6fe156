import { newId } from "../../src/platform/ids";
import { assetPath, MARK, sendAsset, uploadAsset } from "../support/branding";
import { announce } from "../support/documents";
import type { Built, RouteRow } from "./row";
import { SECRET, type World } from "./world";

/** A different file each time: an identical start would continue the open upload. */
const newFile = () => ({
  fileName: `${SECRET}.svg`,
  bytes: MARK.replace("</svg>", `<!-- ${newId()} --></svg>`),
  contentType: "image/svg+xml",
});

const onOrganization = ({ organizationId }: World): Built => ({ params: { organizationId } });
const onSlot = ({ organizationId }: World): Built => ({ params: { organizationId, slot: "logo" } });

async function onAsset(world: World): Promise<Built> {
  const answer = await uploadAsset(world.owner.token, world.organizationId, "logo", newFile());
  if (answer.status !== 200) throw new Error(`${assetPath(world.organizationId, "logo")}: ${await answer.text()}`);
  return onSlot(world);
}

export const brandingRoutes: readonly RouteRow[] = [
  {
    route: "GET /v1/orgs/:organizationId/branding",
    who: { needs: { OrganizationView: "Read" } },
    request: onOrganization,
    status: 200,
  },
  {
    route: "PUT /v1/orgs/:organizationId/branding",
    who: "organization-admin",
    request: (world) => ({ ...onOrganization(world), body: { slogan: SECRET, primaryColor: "#0b5fff" } }),
    status: 200,
    audited: ["branding.updated"],
  },
  {
    route: "GET /v1/orgs/:organizationId/branding/assets/:slot",
    who: { needs: { OrganizationView: "Read" } },
    request: onAsset,
    status: 200,
  },
  {
    route: "POST /v1/orgs/:organizationId/branding/assets/:slot/upload-start",
    who: "organization-admin",
    request: async (world) => ({ ...onSlot(world), body: await announce(newFile()) }),
    status: 201,
  },
  {
    route: "POST /v1/orgs/:organizationId/branding/assets/:slot/upload-complete",
    answersAnew: true,
    who: "organization-admin",
    request: async (world) => {
      const uploadId = await sendAsset(world.owner.token, world.organizationId, "logo", newFile());
      return { ...onSlot(world), body: { uploadId }, places: [uploadId] };
    },
    status: 200,
    audited: ["branding.asset-replaced"],
  },
  {
    route: "DELETE /v1/orgs/:organizationId/branding/assets/:slot/uploads/:uploadId",
    who: "organization-admin",
    request: async (world) => {
      const uploadId = await sendAsset(world.owner.token, world.organizationId, "logo", newFile());
      const { params } = onSlot(world);
      return { params: { ...params, uploadId } };
    },
    status: 204,
    audited: [],
  },
  {
    route: "GET /v1/orgs/:organizationId/branding/assets/:slot/download",
    who: { needs: { OrganizationView: "Read" } },
    request: async (world) => ({ ...(await onAsset(world)), headers: { accept: "application/json" } }),
    status: 200,
  },
  {
    route: "DELETE /v1/orgs/:organizationId/branding/assets/:slot",
    who: "organization-admin",
    request: onAsset,
    status: 204,
    audited: ["branding.asset-deleted"],
  },
];
