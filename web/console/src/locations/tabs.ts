import { LOCATION } from "#texts/locations.ts";
import { type LazyView, lazy, type TabProps } from "../platform/lazy.tsx";

/** The tabs of a location, in the order of the page. The first one is shown at the location's own address. */
export const TABS: readonly { path: string; label: string; View: LazyView<TabProps> }[] = [
  { path: "overview", label: LOCATION.overview, View: lazy(() => import("./overview.tsx")) },
  { path: "cameras", label: LOCATION.cameras, View: lazy(() => import("../cameras/tab.tsx")) },
  { path: "documents", label: LOCATION.documents, View: lazy(() => import("../documents/tab.tsx")) },
  { path: "reports", label: LOCATION.reports, View: lazy(() => import("../reports/tab.tsx")) },
  { path: "annotations", label: LOCATION.annotations, View: lazy(() => import("./annotations.tsx")) },
  { path: "people", label: LOCATION.people, View: lazy(() => import("../people/tab.tsx")) },
];
