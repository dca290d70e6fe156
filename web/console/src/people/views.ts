import { lazy, type TabProps } from "../platform/lazy.tsx";

export const DocumentPeople = lazy<{ documentId: string }>(() => import("./document.tsx"));
export const PeopleTab = lazy<TabProps>(() => import("./tab.tsx"));
