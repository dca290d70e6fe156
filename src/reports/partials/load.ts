import { and, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import { MAX_PARTIAL_DEPTH } from "../limits";
import { reportPartials } from "../tables";
import { parseTemplate, partialNames } from "../templating";

/** The sources of a template. */
export interface TemplateSources {
  htmlLayoutTemplate: string;
  cssStylesheetTemplate: string;
}

/**
 * The partials that the sources of a template name, in the order of their names; null for none.
 * @throws DomainError template-invalid with line and column
 */
export function partialsOf({ htmlLayoutTemplate, cssStylesheetTemplate }: TemplateSources): string[] | null {
  const names = [
    ...partialNames(parseTemplate("htmlLayoutTemplate", htmlLayoutTemplate)),
    ...partialNames(parseTemplate("cssStylesheetTemplate", cssStylesheetTemplate)),
  ];
  return names.length === 0 ? null : [...new Set(names)].sort();
}

/**
 * Reads the sources of the partials that a template uses, also within other partials. A name without a partial is left out.
 * @returns them by name, in one order; undefined if the template uses none, so that its input stays as it was
 */
export async function loadPartials(
  { workspace }: Pick<Context, "workspace">,
  organizationId: string | null,
  sources: TemplateSources,
): Promise<Record<string, string> | undefined> {
  const first = /\{\{\s*>/.test(sources.htmlLayoutTemplate + sources.cssStylesheetTemplate)
    ? partialsOf(sources)
    : null;
  if (first === null || organizationId === null) return undefined;
  const asked = new Set(first);
  const found = new Map<string, string>();
  let wanted = first;
  for (let depth = 0; depth < MAX_PARTIAL_DEPTH && wanted.length > 0; depth++) {
    const rows = await workspace
      .select({ name: reportPartials.name, partials: reportPartials.partials, source: reportPartials.source })
      .from(reportPartials)
      .where(and(eq(reportPartials.organizationId, organizationId), inSet(reportPartials.name, wanted)));
    for (const { name, source } of rows) found.set(name, source);
    wanted = [...new Set(rows.flatMap(({ partials }) => partials ?? []))].filter((name) => !asked.has(name));
    for (const name of wanted) asked.add(name);
  }
  if (found.size === 0) return undefined;
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}
