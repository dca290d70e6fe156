import { lazy } from "../../platform/lazy.tsx";

export { TemplatesPage } from "./list.tsx";
export { PartialEditor, PartialsPage } from "./partials/index.ts";

export const TemplateEditor = lazy(() => import("./editor.tsx"));
