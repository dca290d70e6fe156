import { lazy } from "../../platform/lazy.tsx";

export { TemplatesPage } from "./list.tsx";

export const TemplateEditor = lazy(() => import("./editor.tsx"));
