import "./reports.css";
import { lazy, type ViewProps } from "../views.tsx";
import { ReportsPage } from "./page.tsx";

const Editor = lazy(() => import("./editor/editor.tsx"));

/** All reports, or the editor of one. */
export default function Reports({ path: [reportId] }: ViewProps) {
  return reportId === undefined ? <ReportsPage /> : <Editor key={reportId} reportId={reportId} />;
}
