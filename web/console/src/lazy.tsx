import { type Signal, signal } from "@preact/signals";
import { type ComponentChildren, type ComponentType, Fragment } from "preact";
import type { Location } from "../../../client/src/index.ts";
import { COMMON } from "../../texts/common.ts";
import { Alert, Waiting } from "../../ui/notice.tsx";

/** The properties of what surrounds a view. */
export interface FrameProps {
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

/** The properties of a tab of a location. */
export interface TabProps {
  location: Location;
}
