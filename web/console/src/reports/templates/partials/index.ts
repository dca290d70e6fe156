import { lazy } from "../../../platform/lazy.tsx";

export { PartialsPage } from "./list.tsx";

export const PartialEditor = lazy(() => import("./editor.tsx"));
