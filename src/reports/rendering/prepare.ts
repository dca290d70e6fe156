import { eq } from "drizzle-orm";
import { levelAt, READ } from "../../access";
import { users } from "../../access/tables";
import { readBrandingInput } from "../../branding";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/hash";
import { notFound } from "../../platform/errors";
import { findLocation, placeOfLocation } from "../../workspace";
import type { ReportRow } from "../drafts/find";
import { reportTemplates } from "../tables";
import { wishesOf } from "./figures";
import { type Asker, resolveImages } from "./images/resolve";
import type { ReportInput } from "./input";
import { layOut } from "./layout";

/** Changes when the same input gives another page: PDFs that were made before are made anew. */
const RENDERER = 5;

/** SHA-256 of what a page depends on: the same for two askers who see the same. */
export const digestOf = (input: ReportInput): Promise<string> => sha256Hex(JSON.stringify([RENDERER, input]));

export interface PreparedReport {
  input: ReportInput;
  digest: string;
}

/**
 * Gathers what a report's page depends on, as it stands now and as far as `asker` may see it: the
 * location's own fields with LocationView, each picture with Documents of it, each frame with LocationCameras. Whether they may read
 * the report is for the caller to ask first.
 * @throws DomainError template-invalid or rule-violated when the page cannot be made; 404.
 */
export async function prepareReport(context: Context, report: ReportRow, asker: Asker): Promise<PreparedReport> {
  const { db } = context;
  const location = await findLocation(context, report.locationId);
  const [template] = await db.select().from(reportTemplates).where(eq(reportTemplates.id, report.templateId));
  if (location === null || template === undefined) throw notFound();
  const [author] =
    report.createdBy === null
      ? []
      : await db.select({ name: users.displayName }).from(users).where(eq(users.id, report.createdBy));
  const input: ReportInput = {
    tenantId: report.tenantId,
    report: {
      id: report.id,
      title: report.title,
      revision: report.revision,
      createdAt: report.createdAt,
      updatedAt: report.updatedAt,
      createdBy: author?.name ?? null,
    },
    location:
      levelAt(asker.facts, "LocationView", placeOfLocation(location)) < READ
        ? null
        : {
            id: location.id,
            name: location.name,
            description: location.description,
            address: location.address,
            latitude: location.latitude,
            longitude: location.longitude,
          },
    template: {
      id: template.id,
      key: template.key,
      displayName: template.displayName,
      revision: template.revision,
      htmlLayoutTemplate: template.htmlLayoutTemplate,
      cssStylesheetTemplate: template.cssStylesheetTemplate,
      bodyFieldPath: template.bodyFieldPath,
    },
    content: report.contentJson,
    branding: await readBrandingInput(context, report.organizationId),
    images: [],
  };
  const { parts } = await layOut(context, input);
  input.images = [...(await resolveImages(context, report.locationId, wishesOf(parts), asker))];
  return { input, digest: await digestOf(input) };
}
