import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ROOT } from "../../setup/project.mjs";
import { DAILY, QUAY_DAY } from "./daily.mjs";
import { INCIDENT, LADDER } from "./incident.mjs";
import { BREAKWATER, INSPECTION } from "./inspection.mjs";

const PICTURES = resolve(ROOT, "scripts/seed/reports/pictures");
const LOGO = "logo.svg";

/** The branding of the organization in its reports. */
const BRANDING = {
  brandName: "Northwick Port",
  slogan: "Safe water since 1874",
  primaryColor: "#12395b",
  secondaryColor: "#2c6e8f",
  accentColor: "#e0a526",
  shownOnShareLinks: true,
};

/** One report of each template, at one of the demo's locations. */
const REPORTS = [
  { template: INSPECTION, report: BREAKWATER, location: "Northern breakwater" },
  { template: DAILY, report: QUAY_DAY, location: "Ferry quay" },
  { template: INCIDENT, report: LADDER, location: "Northern breakwater" },
];

/** File names of the pictures that a draft names. */
const picturesOf = (draft) => [
  ...new Set([...JSON.stringify(draft).matchAll(/"documentPath":"photos\/([a-z]+\.jpg)"/g)].map(([, name]) => name)),
];

/**
 * Gives the demo's organization its looks, three templates and a report made with each.
 * @param {{ owner: ReturnType<typeof import("../client.mjs").openClient>, step: Function, create: Function,
 *   organizationId: string, locationIds: Map<string, string> }} demo `locationIds`: by their names
 */
export async function seedReports({ owner, step, create, organizationId, locationIds }) {
  await step("branding", async () => {
    await owner.request("PUT", `/v1/orgs/${organizationId}/branding`, BRANDING);
    const bytes = readFileSync(resolve(PICTURES, LOGO));
    await owner.sendAsset(organizationId, "logo", { fileName: LOGO, contentType: "image/svg+xml", bytes });
    const banner = readFileSync(resolve(PICTURES, "quay.jpg"));
    await owner.sendAsset(organizationId, "banner", { fileName: "quay.jpg", contentType: "image/jpeg", bytes: banner });
    return true;
  });
  for (const { template, report, location } of REPORTS) {
    const locationId = locationIds.get(location);
    const { id } = await create(
      `template ${template.key}`,
      `/v1/reports/templates/organizations/${organizationId}`,
      template,
    );
    for (const fileName of picturesOf(report.contentJson))
      await step(`picture ${fileName} ${location}`, async () => {
        const bytes = readFileSync(resolve(PICTURES, fileName));
        const upload = await owner.send(locationId, { path: "photos", fileName, contentType: "image/jpeg", bytes });
        return { id: (await upload.complete()).id };
      });
    await create(`report ${template.key}`, `/v1/reports/locations/${locationId}`, { templateId: id, ...report });
  }
}
