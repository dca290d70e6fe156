import { eq } from "drizzle-orm";
import { levelAt, READ, type ResourcePath } from "../../access";
import { people } from "../../access/tables";
import { readBrandingInput } from "../../branding";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import { notFound } from "../../platform/errors";
import { escapeHtml } from "../../platform/html";
import { REPORT_POLICY } from "../../platform/http/pages";
import { newId } from "../../platform/ids";
import { readerLanguage, sayTo } from "../../platform/languages/reader";
import { findLocation, locationPath } from "../../workspace";
import type { ReportRow } from "../drafts";
import { loadPartials } from "../partials";
import { type Content, reportTemplates } from "../tables";
import type { NewTemplate } from "../templates";
import { BASE_STYLE } from "./default-page";
import { type MissingImage, type Reader, resolveImages, type SupplyMode, supplyImages } from "./images";
import { makeInert } from "./inert";
import type { PageLanguage } from "./language";
import { type LaidOut, layOut, type ReportInput } from "./layout";
import { placeFigures, textsOf, wantedOf, wishesOf } from "./page-images";
import type { TemplateWarning } from "./warnings";

/** A whole page. It runs no script and loads nothing; its pictures are data URLs. */
interface RenderedReport {
  /** Its HTML, in texts that are made one after another. */
  html: Iterable<string>;
  /** The title of the report, for the PDF. */
  title: string;
  /** BCP 47 tag of the page's language. */
  language: string;
  missingImages: MissingImage[];
  warnings: TemplateWarning[];
  /** The parts of the draft that the page shows; null if its PDFs do not have them. */
  shown: Content | null;
}

/** A warning in the head of a preview, where its reader finds it. */
const warningTag = ({ code, at, detail }: TemplateWarning): string =>
  `<meta name="report-warning" content="${code}" data-at="${escapeHtml(at)}" data-detail="${escapeHtml(detail)}">`;

/** The start of every page, before the text of a template or a draft. The policy comes first. */
const headOf = (title: string, { tag, direction }: PageLanguage, warnings: readonly TemplateWarning[]): string =>
  `<!doctype html><html lang="${tag}"${direction === "rtl" ? ' dir="rtl"' : ""}><head><meta charset="utf-8">` +
  `<meta http-equiv="Content-Security-Policy" content="${REPORT_POLICY}">` +
  `<meta name="viewport" content="width=device-width, initial-scale=1">${warnings.map(warningTag).join("")}<title>${escapeHtml(title)}</title><style>${BASE_STYLE}</style>`;

/**
 * Renders prepared inputs as one page that runs and loads nothing. Jobs use `make`, which scales pictures that are not
 * stored at their size yet. Requests use `kept`, which takes only stored pictures.
 * @throws DomainError template-invalid, rule-violated
 */
export async function renderInput(
  context: Context,
  input: ReportInput,
  mode: SupplyMode,
  laidOut: Promise<LaidOut> | LaidOut = layOut(context, input),
): Promise<RenderedReport> {
  const { title } = input.report;
  const { parts, language, warnings, shown } = await laidOut;
  const resolved = new Map(input.images);
  const wanted = wantedOf(parts, resolved, language);
  const inert = await makeInert(parts, language.labels);
  const supplied = await supplyImages(context, input.tenantId, wanted, mode);
  const { pieces, missingImages } = placeFigures(inert, resolved, supplied, language);
  const told = mode === "make" ? [] : warnings.map((one) => ({ ...one, detail: sayTo(context, one.detail) }));
  return {
    html: textsOf([headOf(title, language, told), ...pieces]),
    title,
    language: language.tag,
    missingImages,
    warnings,
    shown: input.template.attachesData === true ? shown.of(input.content) : null,
  };
}

/** Renders the current report for a reader who may read it, with stored pictures. */
export async function renderReport(context: Context, report: ReportRow, reader: Reader): Promise<RenderedReport> {
  const { input, laidOut } = await prepareReport(context, report, reader);
  return renderInput(context, input, "kept", laidOut);
}

/** Version of the renderer. Increase it if the same input gives another page: then PDFs are generated again. */
const RENDERER_VERSION = 17;

/** SHA-256 of the inputs of a page. Two readers with the same access get the same digest. */
export const digestOf = (input: ReportInput): Promise<string> => sha256Hex(JSON.stringify([RENDERER_VERSION, input]));

interface PreparedReport {
  input: ReportInput;
  digest: string;
  /** The page without its pictures. */
  laidOut: LaidOut;
}

/** The fields of a template that is not stored yet, for its preview. */
type TemplateDraft = Pick<
  NewTemplate,
  "key" | "displayName" | "htmlLayoutTemplate" | "cssStylesheetTemplate" | "bodyFieldPath" | "attachesData"
> & { organizationId: string | null };

/** Renders a report as it would be with another template of an owner. @throws DomainError template-invalid, rule-violated; 404 */
export async function renderWith(
  context: Context,
  report: ReportRow,
  reader: Reader,
  given: NewTemplate,
  organizationId: string | null,
) {
  const { input, laidOut } = await prepareReport(context, report, reader, { ...draftOf(given), organizationId });
  return renderInput(context, input, "kept", laidOut);
}

/**
 * Renders the skeleton of a template as a report without a location. Its pictures are placeholders.
 * @throws DomainError template-invalid, rule-violated
 */
export async function renderSample(context: Context, owner: ResourcePath, given: NewTemplate): Promise<RenderedReport> {
  const { now: at } = context;
  const [branding, partials] = await Promise.all([
    readBrandingInput(context, owner.organizationId),
    loadPartials(context, owner.organizationId, given),
  ]);
  const input: ReportInput = {
    tenantId: owner.tenantId,
    report: { id: newId(), title: given.displayName, revision: 1, createdAt: at, updatedAt: at, createdBy: null },
    location: null,
    timeZone: "UTC",
    language: readerLanguage(context),
    template: { ...draftOf(given), id: newId(), revision: 1, attachesData: undefined, ...(partials && { partials }) },
    content: given.contentTemplateJson,
    branding,
    images: [],
  };
  return renderInput(context, input, "kept");
}

const draftOf = ({
  contentTemplateJson: _,
  cssMediaType: __,
  ...draft
}: NewTemplate): Omit<TemplateDraft, "organizationId"> => draft;

/**
 * Collects the current inputs of a report's page, as far as `reader` may see them. The fields of the location need
 * LocationView, a picture needs Documents, and a frame needs LocationCameras. The caller checks the access to the
 * report. A `draft` takes the place of the report's template.
 * @throws DomainError template-invalid or rule-violated if the page cannot be rendered; 404
 */
export async function prepareReport(
  context: Context,
  report: ReportRow,
  reader: Reader,
  draft?: TemplateDraft,
): Promise<PreparedReport> {
  const { workspace } = context;
  const [location, [stored], [author], branding] = await Promise.all([
    findLocation(context, report.locationId),
    workspace.select().from(reportTemplates).where(eq(reportTemplates.id, report.templateId)),
    report.createdBy === null
      ? []
      : workspace.select({ name: people.displayName }).from(people).where(eq(people.id, report.createdBy)),
    readBrandingInput(context, report.organizationId),
  ]);
  const template = stored && { ...stored, ...draft };
  if (location === null || template === undefined) throw notFound();
  const partials = await loadPartials(context, template.organizationId, template);
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
      levelAt(reader.facts, "LocationView", locationPath(location)) < READ
        ? null
        : {
            id: location.id,
            name: location.name,
            description: location.description,
            address: location.address,
            latitude: location.latitude,
            longitude: location.longitude,
          },
    timeZone: location.timeZone ?? "UTC",
    language: readerLanguage(context),
    template: {
      id: template.id,
      key: template.key,
      displayName: template.displayName,
      revision: template.revision,
      htmlLayoutTemplate: template.htmlLayoutTemplate,
      cssStylesheetTemplate: template.cssStylesheetTemplate,
      bodyFieldPath: template.bodyFieldPath,
      ...(partials && { partials }),
      // Without it, the input of a page is what it was in earlier versions.
      ...(template.attachesData && { attachesData: true }),
    },
    content: report.contentJson,
    branding,
    images: [],
  };
  const laidOut = await layOut(context, input);
  input.images = [...(await resolveImages(context, report.locationId, wishesOf(laidOut.parts), reader))];
  return { input, digest: await digestOf(input), laidOut };
}
