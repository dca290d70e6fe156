import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CAMERA } from "#texts/cameras.ts";
import { COMMON } from "#texts/common.ts";
import { sizeOf } from "#texts/language.ts";
import {
  type Camera,
  dataOf,
  eachItem,
  type HeldCapture,
  type PendingCapture,
  type RejectedCapture,
} from "../../../../client/src/index.ts";
import { zonedTimeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, Waiting } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";

async function readReview(cameraId: string): Promise<{
  rejected: RejectedCapture[];
  held: HeldCapture[];
  unfinished: PendingCapture[];
}> {
  const params = (cursor: string | undefined) => ({ params: { path: { cameraId }, query: { limit: 100, cursor } } });
  const [rejected, held, unfinished] = await Promise.all([
    Array.fromAsync(eachItem((cursor) => dataOf(api.GET("/v1/cameras/{cameraId}/rejected-captures", params(cursor))))),
    Array.fromAsync(eachItem((cursor) => dataOf(api.GET("/v1/cameras/{cameraId}/held-captures", params(cursor))))),
    Array.fromAsync(eachItem((cursor) => dataOf(api.GET("/v1/cameras/{cameraId}/uploads", params(cursor))))),
  ]);
  return { rejected, held, unfinished };
}

function Section(props: { id: string; title: string; help: string; none: string; children: ComponentChildren[] }) {
  return (
    <section class="card" aria-labelledby={props.id}>
      <div class="pad">
        <h3 id={props.id}>{props.title}</h3>
        <p class="small muted">{props.children.length === 0 ? props.none : props.help}</p>
      </div>
      {props.children.length > 0 && <ul class="list">{props.children}</ul>}
    </section>
  );
}

/** The rejected pictures of a camera, those whose check needs a decision of a person, and those that have not arrived whole. */
export function Review({ camera }: { camera: Camera }) {
  const review = useLoaded(camera.id, () => readReview(camera.id));
  const [failure, setFailure] = useState<{ title: string; error: unknown } | null>(null);
  const when = (utc: string) => zonedTimeOf(Date.parse(utc), camera.timeZone, Date.now());
  const pathOf = (operationId: string) => ({ params: { path: { cameraId: camera.id, operationId } } });
  const download = (operationId: string) => {
    setFailure(null);
    dataOf(
      api.GET("/v1/cameras/{cameraId}/rejected-captures/{operationId}/download", {
        ...pathOf(operationId),
        headers: { accept: "application/json" },
      }),
    ).then(
      ({ url }) => location.assign(url),
      (error) => setFailure({ title: CAMERA.downloadFailed, error }),
    );
  };
  const retry = (operationId: string) => {
    setFailure(null);
    dataOf(api.POST("/v1/cameras/{cameraId}/held-captures/{operationId}/retry", pathOf(operationId))).then(
      () => {
        say(CAMERA.retried);
        review.reload();
      },
      (error) => setFailure({ title: CAMERA.retryFailed, error }),
    );
  };
  const cancel = (operationId: string) => {
    setFailure(null);
    dataOf(api.DELETE("/v1/cameras/{cameraId}/uploads/{operationId}", pathOf(operationId))).then(
      () => {
        say(CAMERA.unfinishedDone);
        review.reload();
      },
      (error) => setFailure({ title: CAMERA.unfinishedFailed, error }),
    );
  };
  return (
    <>
      {review.error !== undefined && <Alert title={CAMERA.reviewFailed} error={review.error} onRetry={review.reload} />}
      {failure !== null && <Alert {...failure} />}
      {review.slow && review.data === undefined && <Waiting text={CAMERA.reviewLoading} />}
      {review.data !== undefined && (
        <div class="camera-side">
          <Section id="held" title={CAMERA.held} help={CAMERA.heldHelp} none={CAMERA.heldNone}>
            {review.data.held.map(({ operationId, capturedAtUtc, reason }) => (
              <li key={operationId}>
                <span class="grow">
                  <b class="strong nums">{when(capturedAtUtc)}</b>
                  <br />
                  <span class="small muted">{reason.detail || reason.code}</span>
                </span>
                <button type="button" class="btn" onClick={() => retry(operationId)}>
                  <Icon name="retry" />
                  {CAMERA.retry}
                </button>
              </li>
            ))}
          </Section>
          <Section id="rejected" title={CAMERA.rejected} help={CAMERA.rejectedHelp} none={CAMERA.rejectedNone}>
            {review.data.rejected.map(({ operationId, capturedAtUtc, rejection, sizeBytes }) => (
              <li key={operationId}>
                <span class="grow">
                  <b class="strong nums">{when(capturedAtUtc)}</b>{" "}
                  <span class="small muted nums">{sizeOf(sizeBytes)}</span>
                  <br />
                  <span class="small muted">{COMMON.named(rejection.code, rejection.detail)}</span>
                </span>
                <button type="button" class="btn" onClick={() => download(operationId)}>
                  <Icon name="download" />
                  {CAMERA.download}
                </button>
              </li>
            ))}
          </Section>
          <Section id="unfinished" title={CAMERA.unfinished} help={CAMERA.unfinishedHelp} none={CAMERA.unfinishedNone}>
            {review.data.unfinished.map(({ operationId, capturedAtUtc, sizeBytes, status }) => (
              <li key={operationId}>
                <span class="grow">
                  <b class="strong nums">{when(capturedAtUtc)}</b>{" "}
                  <span class="small muted nums">{sizeOf(sizeBytes)}</span>
                  <br />
                  <span class="small muted">{CAMERA.unfinishedStates[status]}</span>
                </span>
                <button type="button" class="btn" onClick={() => cancel(operationId)}>
                  {CAMERA.unfinishedCancel}
                </button>
              </li>
            ))}
          </Section>
        </div>
      )}
    </>
  );
}
