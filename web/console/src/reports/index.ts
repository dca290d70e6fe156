import { lazy, type TabProps } from "../platform/lazy.tsx";

export const ReportsTab = lazy<TabProps>(() => import("./tab.tsx"));
