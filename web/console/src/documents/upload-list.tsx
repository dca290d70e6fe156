import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sizeOf } from "#texts/language.ts";
import { UPLOADS } from "#texts/uploads.ts";
import { IconButton } from "../../../ui/buttons.tsx";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { RequestId } from "../../../ui/notice.tsx";
import { discard, receivedBytes, type Unfinished, unfinishedAt } from "./unfinished.ts";
import {
  cancelUpload,
  clearUploads,
  isOpen,
  isRunning,
  pauseUpload,
  retryUpload,
  stateOf,
  type Upload,
  uploads,
} from "./uploads.ts";

function Name({ path, fileName }: { path: string; fileName: string }) {
  return (
    <span class="cut">
      {path !== "" && <span class="muted">{path}/</span>}
      {fileName}
    </span>
  );
}

function Line({ upload }: { upload: Upload }) {
  const { id, file, fileName, path, state, sentBytes, uploadId, error } = upload;
  const icons: Partial<Record<Upload["state"], IconName>> = {
    done: "check",
    failed: "alert",
    offline: "offline",
    busy: "clock",
  };
  const retry = () => retryUpload(id);
  return (
    <li class={`line ${state}`} data-upload={id}>
      <Icon name={icons[state] ?? "file"} />
      <Name path={path} fileName={fileName} />
      <progress
        aria-label={UPLOADS.progress(fileName)}
        max={Math.max(file.size, 1)}
        value={state === "done" || state === "finishing" ? Math.max(file.size, 1) : sentBytes}
      />
      <span class="say small nums">
        {stateOf(upload)}
        <RequestId error={error} />
      </span>
      <span class="acts">
        {uploadId !== undefined && isRunning(upload) && (
          <IconButton icon="pause" label={UPLOADS.pause(fileName)} onPress={() => pauseUpload(upload)} />
        )}
        {state === "paused" && <IconButton icon="play" label={UPLOADS.goOn(fileName)} onPress={retry} />}
        {(state === "offline" || state === "busy") && (
          <IconButton icon="retry" label={UPLOADS.tryNow(fileName)} onPress={retry} />
        )}
        {isOpen(upload) && (
          <IconButton icon="x" label={UPLOADS.cancel(fileName)} onPress={() => cancelUpload(upload)} />
        )}
        {(state === "failed" || state === "cancelled") && (
          <IconButton icon="retry" label={UPLOADS.retry(fileName)} onPress={retry} />
        )}
      </span>
    </li>
  );
}

/** The lines that were made. Preact draws no line again that is the same object, so one of 300 uploads that goes on costs one line. */
const lines = new WeakMap<Upload, VNode>();

function lineOf(upload: Upload): VNode {
  const line = lines.get(upload) ?? <Line key={upload.id} upload={upload} />;
  lines.set(upload, line);
  return line;
}

/** An upload that this tab does not have the file of. */
function LeftLine({ left, choose }: { left: Unfinished; choose: () => void }) {
  const { path, fileName, sizeBytes } = left;
  const { data: received } = useLoaded(`unfinished ${left.uploadId}`, (stop) => receivedBytes(left, stop));
  if (received === undefined || received === null) return null;
  return (
    <li class="line left">
      <Icon name="clock" />
      <Name path={path} fileName={fileName} />
      <progress aria-label={UPLOADS.progress(fileName)} max={sizeBytes} value={received} />
      <span class="say small nums">
        {UPLOADS.left(sizeOf(received), sizeOf(sizeBytes))}{" "}
        <button type="button" class="link" onClick={choose}>
          {UPLOADS.chooseAgain}
        </button>
      </span>
      <span class="acts">
        <IconButton icon="x" label={UPLOADS.cancel(fileName)} onPress={() => discard(left)} />
      </span>
    </li>
  );
}

/** The uploads of an earlier visit that have not ended. The same file continues them. */
export function LeftUploads({ locationId, choose }: { locationId: string; choose: () => void }) {
  const here = new Set(uploads.value.map(({ uploadId }) => uploadId));
  const left = unfinishedAt(locationId).filter(({ uploadId }) => !here.has(uploadId));
  if (left.length === 0) return null;
  return (
    <ul class="card uploads" aria-label={UPLOADS.unfinished}>
      {left.map((one) => (
        <LeftLine key={one.uploadId} left={one} choose={choose} />
      ))}
    </ul>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The lines in an area of limited height. It follows the upload that runs, unless the person is in the area. */
function Lines({ current, children }: { current: number | undefined; children: VNode[] }) {
  const area = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const list = area.current;
    if (list === null || current === undefined || list.matches(":hover, :focus-within")) return;
    const line = list.querySelector<HTMLElement>(`[data-upload="${current}"]`);
    // Only this area scrolls, and not the page.
    if (line) list.scrollTop = line.offsetTop;
  }, [current]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <ul ref={area} tabIndex={0} aria-label={UPLOADS.lines}>
      {children}
    </ul>
  );
}

/** The uploads to a location, each with its progress or the reason of its failure. */
export function UploadList({ locationId }: { locationId: string }) {
  const all = uploads.value.filter((one) => one.locationId === locationId);
  if (all.length === 0) return null;
  const done = all.filter(({ state }) => state === "done").length;
  const failed = all.filter(({ state }) => state === "failed").length;
  const open = all.filter(isOpen);
  const sizes = all.map(({ file }) => Math.max(file.size, 1));
  const sent = all.map((one, n) => (isOpen(one) ? one.sentBytes : (sizes[n] ?? 0)));
  // At the end, what has failed is what a person looks for.
  const shown =
    open.length > 0 ? all : [...all].sort((a, b) => Number(a.state === "done") - Number(b.state === "done"));
  return (
    <section class="card uploads" aria-label={UPLOADS.title}>
      <header class="row wrap">
        <p class="grow strong nums" role="status">
          {UPLOADS.summary(done, all.length)}
          {failed > 0 && `. ${UPLOADS.failedSome(failed)}.`}
        </p>
        {open.length > 0 && all.length > 1 && (
          <progress aria-label={UPLOADS.title} max={sum(sizes)} value={sum(sent)} />
        )}
        {open.length > 0 ? (
          <button type="button" class="btn bare" onClick={() => open.forEach(cancelUpload)}>
            {UPLOADS.cancelAll}
          </button>
        ) : (
          <button type="button" class="btn bare" onClick={() => clearUploads(locationId)}>
            {UPLOADS.clear}
          </button>
        )}
      </header>
      <Lines current={open.find(isRunning)?.id}>{shown.map(lineOf)}</Lines>
    </section>
  );
}
