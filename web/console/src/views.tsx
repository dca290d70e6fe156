import type { ComponentType } from "preact";
import { COMMON } from "#texts/common.ts";
import { SHELL } from "#texts/shell.ts";
import { type Area, areaAt, HOME, INVITATIONS, PASSWORD_RESET } from "../../../src/platform/paths.ts";
import { CalmCard } from "../../ui/notice.tsx";
import { useTitle } from "../../ui/title.ts";
import { Entrance } from "./entry/entrance.tsx";
import { type FrameProps, type LazyView, lazy, type ViewProps } from "./platform/lazy.tsx";

export const Page = ({ children }: FrameProps) => <div class="page">{children}</div>;

/** The page of an archive before its code is there: as dark as its picture. */
const DarkPage = ({ children }: FrameProps) => <div class="page wide dark on-dark">{children}</div>;

/** The address of a view that the console does not have. */
export function Lost() {
  useTitle(SHELL.lost);
  return (
    <Page>
      <h1 class="sr">{SHELL.lost}</h1>
      <CalmCard icon="search" title={SHELL.lost} help={SHELL.lostHelp}>
        <a class="btn primary" href={HOME}>
          {COMMON.toLocations}
        </a>
      </CalmCard>
    </Page>
  );
}

/** The views that need no session, by their path. Links in e-mails lead to them. */
export const OPEN_VIEWS: Readonly<Record<string, ComponentType>> = {
  [INVITATIONS]: lazy(() => import("./entry/invitation.tsx"), Entrance),
  [PASSWORD_RESET]: lazy(() => import("./entry/reset.tsx"), Entrance),
};

const WALL = lazy(() => import("./cameras/wall.tsx"), Page);
const ARCHIVE = lazy(() => import("./archive/page.tsx"), DarkPage);

/** The view of an address, and the parts of the path after its own. An address without a view has none. */
export function viewAt({ pathname }: URL): { View: LazyView<ViewProps> | undefined; path: string[] } {
  const found = areaAt(pathname);
  if (found === null) return { View: undefined, path: [] };
  const { area, path } = found;
  if (area === "cameras") return { View: path.length === 0 ? WALL : ARCHIVE, path };
  return { View: VIEWS[area], path };
}

/** The other views of the console. */
const VIEWS: Readonly<Record<Exclude<Area, "cameras">, LazyView<ViewProps>>> = {
  search: lazy(() => import("./search/page.tsx"), Page),
  settings: lazy(() => import("./settings/page.tsx"), Page),
  locations: lazy(() => import("./locations/page.tsx"), Page),
  clusters: lazy(() => import("./people/cluster.tsx"), Page),
  admin: lazy(() => import("./admin/page.tsx"), Page),
  documents: lazy(() => import("./documents/viewer/page.tsx"), Page),
  trash: lazy(() => import("./trash/page.tsx"), Page),
  inbox: lazy(() => import("./inbox/page.tsx"), Page),
  reports: lazy(() => import("./reports/page.tsx"), Page),
};
