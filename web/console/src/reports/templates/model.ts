import { TEMPLATES } from "#texts/templates.ts";
import {
  dataOf,
  type ReportTemplate,
  type ReportTemplateCreate,
  type ReportTemplateRevision,
  type ReportTemplateRevisionSummary,
} from "../../../../../client/src/index.ts";
import { say, sayFailed } from "../../../../ui/notice.tsx";
import { api } from "../../platform/session.ts";
import { isObject, type JsonObject, valueAt } from "../json.ts";

/** A template in its editor. The main text is separate from the skeleton, which is JSON as text. */
export interface Source {
  key: string;
  displayName: string;
  bodyFieldPath: string;
  attachesData: boolean;
  layout: string;
  style: string;
  skeleton: string;
  text: string;
}

export type Part = "layout" | "style" | "skeleton" | "text";
export const PARTS: readonly Part[] = ["layout", "style", "skeleton", "text"];

export const NEW_SOURCE: Source = {
  key: "",
  displayName: "",
  bodyFieldPath: "notes",
  attachesData: false,
  layout: "",
  style: "",
  skeleton: '{\n  "inspector": "",\n  "photos": [],\n  "notes": ""\n}\n',
  text: "# Summary\n",
};

/** The content with another value at a path. */
function withValue(at: unknown, [segment, ...rest]: readonly string[], value: string): unknown {
  if (segment === undefined) return value;
  if (Array.isArray(at))
    return at.map((item, n) => (String(n) === segment ? withValue(item, rest, value) : (item as unknown)));
  const object = isObject(at) ? at : {};
  return { ...object, [segment]: withValue(object[segment], rest, value) };
}

const format = (content: unknown): string => `${JSON.stringify(content, null, 2)}\n`;

/** What the sources of a template and of its revisions have. */
type Sources = Pick<
  ReportTemplate,
  | "displayName"
  | "bodyFieldPath"
  | "attachesData"
  | "htmlLayoutTemplate"
  | "cssStylesheetTemplate"
  | "contentTemplateJson"
>;

export function sourceOf(template: Sources & Pick<ReportTemplate, "key">): Source {
  const { key, displayName, bodyFieldPath, htmlLayoutTemplate, cssStylesheetTemplate, contentTemplateJson } = template;
  const body = bodyFieldPath === null ? "" : valueAt(contentTemplateJson, bodyFieldPath);
  const text = typeof body === "string" ? body : "";
  const rest = text === "" ? contentTemplateJson : withValue(contentTemplateJson, (bodyFieldPath ?? "").split("."), "");
  return {
    key,
    displayName,
    bodyFieldPath: bodyFieldPath ?? "",
    attachesData: template.attachesData,
    layout: htmlLayoutTemplate,
    style: cssStylesheetTemplate,
    skeleton: format(rest),
    text,
  };
}

/** The names of the parts in which two templates differ. */
export function differencesOf(one: Source, other: Source): string[] {
  const { name: displayName, bodyPath: bodyFieldPath, attachesData } = TEMPLATES;
  const names = { displayName, bodyFieldPath, attachesData };
  const named = [...Object.entries(names), ...PARTS.map((part) => [part, TEMPLATES.tabs[part]] as const)];
  return named.filter(([part]) => one[part as keyof Source] !== other[part as keyof Source]).map(([, name]) => name);
}

/** The request body for the service. @throws SyntaxError if the skeleton is not a JSON object */
export function requestOf(source: Source): ReportTemplateCreate {
  const { bodyFieldPath, text } = source;
  let parsed: unknown;
  try {
    parsed = JSON.parse(source.skeleton);
  } catch {
    throw new SyntaxError(TEMPLATES.notJson);
  }
  if (!isObject(parsed)) throw new SyntaxError(TEMPLATES.notObject);
  const content = bodyFieldPath === "" ? parsed : (withValue(parsed, bodyFieldPath.split("."), text) as JsonObject);
  return {
    key: source.key,
    displayName: source.displayName,
    htmlLayoutTemplate: source.layout,
    cssStylesheetTemplate: source.style,
    cssMediaType: "text/css",
    contentTemplateJson: content,
    bodyFieldPath: bodyFieldPath === "" ? null : bodyFieldPath,
    attachesData: source.attachesData,
  };
}

/** Creates a template of an organization, or of the person (`organizationId` null). */
export const createTemplate = (organizationId: string | null, body: ReportTemplateCreate): Promise<ReportTemplate> =>
  organizationId === null
    ? dataOf(api.POST("/v1/reports/templates/users/me", { body }))
    : dataOf(
        api.POST("/v1/reports/templates/organizations/{organizationId}", {
          params: { path: { organizationId } },
          body,
        }),
      );

export const updateTemplate = (
  { id, revision }: Pick<ReportTemplate, "id" | "revision">,
  body: ReportTemplateCreate,
): Promise<ReportTemplate> =>
  dataOf(
    api.PUT("/v1/reports/templates/{template}", {
      params: { path: { template: id } },
      body: { ...body, baseRevision: revision },
    }),
  );

/** The revisions of a template, the newest first: the present one and some dozens of earlier ones. */
export async function readRevisions(templateId: string): Promise<ReportTemplateRevisionSummary[]> {
  const params = { path: { template: templateId }, query: { limit: 100 } };
  return (await dataOf(api.GET("/v1/reports/templates/{template}/revisions", { params }))).items;
}

export const readRevision = (templateId: string, revision: number): Promise<ReportTemplateRevision> =>
  dataOf(
    api.GET("/v1/reports/templates/{template}/revisions/{revision}", {
      params: { path: { template: templateId, revision } },
    }),
  );

/** Writes an earlier revision as the next one after `present`. */
export const restoreRevision = ({ id, revision: present }: ReportTemplate, revision: number): Promise<ReportTemplate> =>
  dataOf(
    api.POST("/v1/reports/templates/{template}/revisions/{revision}/restore", {
      params: { path: { template: id, revision } },
      headers: { "if-match": `"${present}"` },
    }),
  );

/** Deletes a template, and offers to undo that. @param changed is called after the deletion, and after the undo */
export async function deleteTemplate(
  { id, displayName }: Pick<ReportTemplate, "id" | "displayName">,
  changed: () => void,
): Promise<void> {
  const params = { path: { template: id } };
  const undo = async () => {
    try {
      await dataOf(api.POST("/v1/reports/templates/{template}/restore", { params }));
      say(TEMPLATES.restored(displayName));
      changed();
    } catch (thrown) {
      sayFailed(TEMPLATES.restoreFailed, thrown, undo);
    }
  };
  await dataOf(api.DELETE("/v1/reports/templates/{template}", { params }));
  say(TEMPLATES.removed(displayName), undo);
  changed();
}

/** The page of a template that is not stored yet, with its skeleton or with a report. */
export const previewTemplate = (
  organizationId: string | null,
  reportId: string | null,
  body: ReportTemplateCreate,
): Promise<string> =>
  dataOf(
    api.POST("/v1/reports/templates/preview", {
      // A new template can be previewed before it has a name.
      body: {
        ...body,
        key: body.key || "new",
        displayName: body.displayName || TEMPLATES.newTitle,
        organizationId,
        ...(reportId !== null && { reportId }),
      },
      parseAs: "text",
    }),
  );
