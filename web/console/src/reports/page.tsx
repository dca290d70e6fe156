import "./reports.css";
import { lazy, type ViewProps } from "../platform/lazy.tsx";
import { ReportsPage } from "./overview.tsx";
import { TemplatesPage } from "./templates/list.tsx";

const Editor = lazy(() => import("./editor/editor.tsx"));
const TemplateEditor = lazy(() => import("./templates/editor.tsx"));

/** All reports, all templates, or the editor of one of them. */
export default function Reports({ path: [first, key] }: ViewProps) {
  if (first === undefined) return <ReportsPage />;
  if (first === "new-template") return <TemplateEditor templateKey={null} />;
  if (first !== "templates") return <Editor key={first} reportId={first} />;
  return key === undefined ? <TemplatesPage /> : <TemplateEditor key={key} templateKey={key} />;
}
