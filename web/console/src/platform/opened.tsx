import type { ComponentChildren } from "preact";
import { ProblemError } from "../../../../client/src/index.ts";
import type { Loaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { Gone } from "./gone.tsx";

/**
 * A resource that has its own page, once it is read. Until then, a long wait is shown. A failed reading is shown, and
 * an explanation if the person may not see the resource.
 */
export function Opened<T>(props: {
  loaded: Loaded<T>;
  failed: string;
  loading: string;
  gone: Parameters<typeof Gone>[0];
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, slow, reload } = props.loaded;
  if (error instanceof ProblemError && error.status === 404) return <Gone {...props.gone} />;
  if (error !== undefined) return <Alert title={props.failed} error={error} onRetry={reload} />;
  if (data === undefined) return slow ? <Waiting text={props.loading} /> : null;
  return <>{props.children(data)}</>;
}
