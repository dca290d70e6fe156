import { type Signal, signal } from "@preact/signals";
import { type ComponentChildren, type ComponentType, Fragment } from "preact";
import { COMMON } from "../../texts/common.ts";
import { SHELL } from "../../texts/shell.ts";
import { Alert, Calmly, Waiting } from "../../ui/notice.tsx";
import { useTitle } from "../../ui/title.ts";
import { Entrance } from "./entry/entrance.tsx";
import { HOME } from "./router.ts";

interface FrameProps {
  children?: ComponentChildren;
}
type Load<P> = () => Promise<{ default: ComponentType<P> }>;

/**
 * A view whose code is fetched when it is first shown, so that the first visit loads little.
 * @param load Imports the module; the view is its default export.
 * @param Frame Surrounds the messages that are shown until the view is loaded.
 */
export function lazy<P extends object>(load: Load<P>, Frame: ComponentType<FrameProps> = Fragment): ComponentType<P> {
  const loaded: Signal<ComponentType<P> | null> = signal(null);
  const error: Signal<unknown> = signal(null);
  const fetchView = () => {
    error.value = null;
    load().then(
      (module) => {
        loaded.value = module.default;
      },
      (thrown) => {
        error.value = thrown;
      },
    );
  };
  let started = false;
  return function Lazy(props: P) {
    if (!started) {
      started = true;
      fetchView();
    }
    const View = loaded.value;
    if (View !== null) return <View {...props} />;
    return (
      <Frame>
        {error.value !== null && <Alert title={COMMON.viewFailed} error={error.value} onRetry={fetchView} />}
        {error.value === null && <Waiting text={COMMON.loading} />}
      </Frame>
    );
  };
}

/** The properties of a view: the parts of the path after its own, without empty ones. */
export interface ViewProps {
  path: string[];
}

const Page = ({ children }: FrameProps) => <div class="page">{children}</div>;

/** The address of a view that the console does not have. */
export function Lost() {
  useTitle(SHELL.lost);
  return (
    <Page>
      <div class="card frame">
        <Calmly icon="search" title={SHELL.lost} help={SHELL.lostHelp}>
          <a class="btn primary" href={HOME}>
            {COMMON.toLocations}
          </a>
        </Calmly>
      </div>
    </Page>
  );
}

/** The views that need no session, by their path. Links in e-mails lead to them. */
export const OPEN_VIEWS: Readonly<Record<string, ComponentType>> = {
  "/invitations": lazy(() => import("./entry/invitation.tsx"), Entrance),
  "/password-reset": lazy(() => import("./entry/reset.tsx"), Entrance),
};

/** The views of the console by the first part of their path after /console. */
export const VIEWS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  search: lazy(() => import("./search/page.tsx"), Page),
  settings: lazy(() => import("./settings/index.tsx"), Page),
  locations: lazy(() => import("./locations/index.tsx"), Page),
  clusters: lazy(() => import("./people/cluster.tsx"), Page),
  admin: lazy(() => import("./admin/index.tsx"), Page),
  cameras: lazy(() => import("./cameras/index.tsx"), Page),
  documents: lazy(() => import("./documents/viewer/index.tsx"), Page),
  trash: lazy(() => import("./trash/index.tsx"), Page),
  inbox: lazy(() => import("./inbox/index.tsx"), Page),
  reports: lazy(() => import("./reports/index.tsx"), Page),
};
