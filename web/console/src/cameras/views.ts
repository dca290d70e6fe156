import { lazy, type TabProps } from "../platform/lazy.tsx";

export const CamerasTab = lazy<TabProps>(() => import("./tab.tsx"));
