import { lazy, type TabProps } from "../platform/lazy.tsx";

export const DocumentsTab = lazy<TabProps>(() => import("./tab.tsx"));
