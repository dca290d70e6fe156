import { LOCATION } from "#texts/locations.ts";
import { CamerasTab } from "../cameras/index.ts";
import { DocumentsTab } from "../documents/index.ts";
import { PeopleTab } from "../people/index.ts";
import { type LazyView, lazy, type TabProps } from "../platform/lazy.tsx";
import { ReportsTab } from "../reports/index.ts";

/** The tabs of a location, in the order of the page. The first one is shown at the location's own address. */
export const TABS: readonly { path: string; label: string; View: LazyView<TabProps> }[] = [
  { path: "overview", label: LOCATION.overview, View: lazy(() => import("./overview.tsx")) },
  { path: "cameras", label: LOCATION.cameras, View: CamerasTab },
  { path: "documents", label: LOCATION.documents, View: DocumentsTab },
  { path: "reports", label: LOCATION.reports, View: ReportsTab },
  { path: "annotations", label: LOCATION.annotations, View: lazy(() => import("./annotations.tsx")) },
  { path: "people", label: LOCATION.people, View: PeopleTab },
];
