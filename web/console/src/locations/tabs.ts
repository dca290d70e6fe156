import type { ComponentType } from "preact";
import { LOCATION } from "../../../texts/locations.ts";
import { DocumentsTab } from "../documents/tab.tsx";
import { lazy, type TabProps } from "../lazy.tsx";

/** The tabs of a location, in the order of the page. The first one is shown at the location's own address. */
export const TABS: readonly { path: string; label: string; View: ComponentType<TabProps> }[] = [
  { path: "overview", label: LOCATION.overview, View: lazy(() => import("./overview.tsx")) },
  { path: "cameras", label: LOCATION.cameras, View: lazy(() => import("../cameras/tab.tsx")) },
  { path: "documents", label: LOCATION.documents, View: DocumentsTab },
  { path: "reports", label: LOCATION.reports, View: lazy(() => import("../reports/tab.tsx")) },
  { path: "annotations", label: LOCATION.annotations, View: lazy(() => import("./annotations.tsx")) },
  { path: "people", label: LOCATION.people, View: lazy(() => import("../people/tab.tsx")) },
];
