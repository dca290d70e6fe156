import { z } from "zod";
import { areaAt } from "../paths";

/** The files of each view, which the build writes beside the pages. */
const listSchema = z.record(z.string(), z.array(z.string()));

/** The name of the view of a path in the list of the build; null for a path without a view. */
export function viewName(pathname: string): string | null {
  const at = areaAt(pathname);
  if (at === null) return null;
  const { area, path } = at;
  const [first, second] = path;
  // The lists and the editor of templates are other views than a report.
  const isReport = area !== "reports" || (first !== "templates" && first !== "new-template");
  if (first === undefined || area === "documents" || !isReport) return area;
  return second === undefined || area !== "locations" ? `${area}/*` : `${area}/*/${second}`;
}

/**
 * The header that tells a browser which files the view of a path needs, beside the page itself. Without it, the browser learns
 * of a file from the file before it, one turn over the network later. Empty for a view that is not in the list.
 * @param list the list of the build
 */
export function preloadsOf(pathname: string, list: unknown): string {
  const name = viewName(pathname);
  const files = name === null ? [] : (listSchema.parse(list)[name] ?? []);
  return files
    .map((file) =>
      file.endsWith(".css") ? `<${file}>; rel=preload; as=style; crossorigin` : `<${file}>; rel=modulepreload`,
    )
    .join(", ");
}
