import { type Signal, signal } from "@preact/signals";
import { type ComponentChildren, type ComponentType, Fragment, type FunctionComponent } from "preact";
import { COMMON } from "#texts/common.ts";
import type { Location } from "../../../../client/src/index.ts";
import { useSlow } from "../../../ui/loading.ts";
import { Alert, Refusal, Waiting } from "../../../ui/notice.tsx";

/** The properties of what surrounds a view. */
export interface FrameProps {
  children?: ComponentChildren;
}
type Load<P> = () => Promise<{ default: ComponentType<P> }>;

/** `begin` fetches the code of a view that will be shown, while its data is read. */
export type LazyView<P> = FunctionComponent<P> & { begin: () => void };

/** A browser keeps a failed import until the page is loaded again. The address leads back to the same view. */
const reloadPage = () => location.reload();

/** A wait of more than a moment. */
export const Wait = ({ text }: { text: string }) => (useSlow() ? <Waiting text={text} /> : null);

/**
 * A view whose code is fetched when it is first shown, so that the first visit loads little.
 * @param load Imports the module; the view is its default export.
 * @param Frame Surrounds the messages that are shown until the view is loaded.
 */
export function lazy<P extends object>(load: Load<P>, Frame: ComponentType<FrameProps> = Fragment): LazyView<P> {
  const loaded: Signal<ComponentType<P> | null> = signal(null);
  const error: Signal<unknown> = signal(null);
  const fetchView = () => {
    error.value = null;
    load().then(
      (module) => {
        loaded.value = module.default;
      },
      () => {
        error.value = new Refusal(navigator.onLine ? COMMON.viewChanged : COMMON.unreachable);
      },
    );
  };
  let started = false;
  const begin = () => {
    if (started) return;
    started = true;
    fetchView();
  };
  function Lazy(props: P) {
    begin();
    const View = loaded.value;
    if (View !== null) return <View {...props} />;
    return (
      <Frame>
        {error.value !== null && <Alert title={COMMON.viewFailed} error={error.value} onRetry={reloadPage} />}
        {error.value === null && <Wait text={COMMON.loading} />}
      </Frame>
    );
  }
  return Object.assign(Lazy, { begin });
}

/** The properties of a view: the parts of the path after its own, without empty ones. */
export interface ViewProps {
  path: string[];
}

/** The properties of a tab of a location. */
export interface TabProps {
  location: Location;
}
