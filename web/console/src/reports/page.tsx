import "./reports.css";
import { lazy, type ViewProps } from "../platform/lazy.tsx";
import { ReportsPage } from "./overview.tsx";
import { PartialEditor, PartialsPage, TemplateEditor, TemplatesPage } from "./templates/index.ts";

const ReportEditor = lazy(() => import("./editor/editor.tsx"));

/** All reports, all templates, their shared parts, or the editor of one of them. */
export default function Reports({ path: [first, key] }: ViewProps) {
  if (first === undefined) return <ReportsPage />;
  if (first === "new-template") return <TemplateEditor templateKey={null} />;
  if (first === "new-partial") return <PartialEditor name={null} />;
  if (first === "partials") return key === undefined ? <PartialsPage /> : <PartialEditor key={key} name={key} />;
  if (first !== "templates") return <ReportEditor key={first} reportId={first} />;
  return key === undefined ? <TemplatesPage /> : <TemplateEditor key={key} templateKey={key} />;
}
