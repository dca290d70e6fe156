import "./reports.css";
import { lazy, type ViewProps } from "../platform/lazy.tsx";
import { ReportsPage } from "./overview.tsx";
import { TemplateEditor, TemplatesPage } from "./templates/index.ts";

const ReportEditor = lazy(() => import("./editor/editor.tsx"));

/** All reports, all templates, or the editor of one of them. */
export default function Reports({ path: [first, key] }: ViewProps) {
  if (first === undefined) return <ReportsPage />;
  if (first === "new-template") return <TemplateEditor templateKey={null} />;
  if (first !== "templates") return <ReportEditor key={first} reportId={first} />;
  return key === undefined ? <TemplatesPage /> : <TemplateEditor key={key} templateKey={key} />;
}
