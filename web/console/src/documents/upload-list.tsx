import { UPLOADS } from "#texts/uploads.ts";
import { IconButton } from "../../../ui/buttons.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { RequestId } from "../../../ui/notice.tsx";
import { cancelUpload, clearUploads, isOpen, retryUpload, stateOf, type Upload, uploads } from "./uploads.ts";

function Line({ upload }: { upload: Upload }) {
  const { id, file, fileName, path, state, sentBytes, error } = upload;
  const icon = state === "done" ? "check" : state === "failed" ? "alert" : "file";
  return (
    <li class={`line ${state}`}>
      <Icon name={icon} />
      <span class="cut">
        {path !== "" && <span class="muted">{path}/</span>}
        {fileName}
      </span>
      <progress
        aria-label={UPLOADS.progress(fileName)}
        max={Math.max(file.size, 1)}
        value={state === "done" || state === "finishing" ? Math.max(file.size, 1) : sentBytes}
      />
      <span class="say small nums">
        {stateOf(upload)}
        <RequestId error={error} />
      </span>
      {isOpen(upload) && <IconButton icon="x" label={UPLOADS.cancel(fileName)} onPress={() => cancelUpload(upload)} />}
      {(state === "failed" || state === "cancelled") && (
        <IconButton icon="retry" label={UPLOADS.retry(fileName)} onPress={() => retryUpload(id)} />
      )}
    </li>
  );
}

/** The uploads to a location, each with its progress or the reason of its failure. */
export function UploadList({ locationId }: { locationId: string }) {
  const all = uploads.value.filter((one) => one.locationId === locationId);
  if (all.length === 0) return null;
  const done = all.filter(({ state }) => state === "done").length;
  const failed = all.filter(({ state }) => state === "failed").length;
  const open = all.filter(isOpen);
  return (
    <section class="card uploads" aria-label={UPLOADS.title}>
      <header>
        <p class="grow strong nums" role="status">
          {UPLOADS.summary(done, all.length)}
          {failed > 0 && `. ${UPLOADS.failedSome(failed)}.`}
        </p>
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
      <ul>
        {all.map((upload) => (
          <Line key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}
