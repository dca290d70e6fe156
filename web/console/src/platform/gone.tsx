import { useEffect } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { HOME } from "../../../../src/platform/paths.ts";
import { Calmly } from "../../../ui/notice.tsx";
import { noteClosed } from "./access.ts";

/** A resource that the person may not see, or that no longer exists. `heading` is the hidden heading of a whole page. */
export function Gone({ heading, title, help }: { heading?: string; title: string; help: string }) {
  useEffect(noteClosed, []);
  return (
    <div class="card frame" role="alert">
      {heading !== undefined && <h1 class="sr">{heading}</h1>}
      <Calmly icon="lock" title={title} help={help}>
        <a class="btn primary" href={HOME}>
          {COMMON.toLocations}
        </a>
      </Calmly>
    </div>
  );
}
