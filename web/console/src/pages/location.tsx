import { useEffect, useRef, useState } from "preact/hooks";
import { dataOf, ProblemError } from "../../../../client/src/index.ts";
import { Icon } from "../icon.tsx";
import { useLoaded } from "../loading.ts";
import { Alert, Calmly, Waiting } from "../notice.tsx";
import { address, HOME } from "../router.ts";
import { api } from "../session.ts";
import { Shell } from "../shell.tsx";
import { TEXTS } from "../texts.ts";
import { useTitle } from "../title.ts";
import { addFiles } from "../uploads.ts";
import { DocumentPanel } from "./document-panel.tsx";
import { Documents } from "./documents.tsx";
import { UploadList } from "./upload-list.tsx";

async function readLocation(locationId: string) {
  const location = await dataOf(api.GET("/v1/spatial/locations/{locationId}", { params: { path: { locationId } } }));
  // A guest of the location alone does not see its cluster.
  const cluster = await dataOf(
    api.GET("/v1/spatial/clusters/{clusterId}", { params: { path: { clusterId: location.clusterId } } }),
  ).catch(() => null);
  return { location, cluster };
}

/** Files that are dragged over the window: whether there are some, and what happens with those that are dropped. */
function useDrop(onFiles: ((files: FileList) => void) | null): boolean {
  const [over, setOver] = useState(false);
  const handle = useRef(onFiles);
  handle.current = onFiles;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event) || handle.current === null) return;
      event.preventDefault();
      setOver(true);
    };
    const onDragLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event) || handle.current === null) return;
      event.preventDefault();
      setOver(false);
      if (event.dataTransfer) handle.current(event.dataTransfer.files);
    };
    addEventListener("dragover", onDragOver);
    addEventListener("dragleave", onDragLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onDragOver);
      removeEventListener("dragleave", onDragLeave);
      removeEventListener("drop", onDrop);
    };
  }, []);
  return over;
}

/** A location with its documents. */
export function LocationPage({ locationId }: { locationId: string }) {
  const text = TEXTS.location;
  const files = useRef<HTMLInputElement>(null);
  const { data, error, slow, reload } = useLoaded(locationId, () => readLocation(locationId));
  useTitle(data?.location.name ?? TEXTS.locations.title);
  const writable = data?.location.capabilities.Documents === "Write";
  const choose = writable ? () => files.current?.click() : null;
  const dragging = useDrop(writable ? (dropped) => addFiles(locationId, dropped) : null);
  const documentId = address.value.searchParams.get("document");
  if (error instanceof ProblemError && error.status === 404)
    return (
      <Shell>
        <div class="page">
          <h1 class="sr">{TEXTS.locations.title}</h1>
          <div class="card frame">
            <Calmly icon="lock" title={text.gone} help={text.goneHelp}>
              <a class="btn primary" href={HOME}>
                {text.toLocations}
              </a>
            </Calmly>
          </div>
        </div>
      </Shell>
    );
  return (
    <Shell>
      <div class={dragging ? "page dragging" : "page"}>
        {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
        {slow && data === undefined && <Waiting text={text.loading} />}
        {data && (
          <>
            <header class="page-head">
              <div class="grow">
                <p class="small">
                  <a class="backlink" href={HOME}>
                    {text.back}
                  </a>
                  {data.cluster && <span class="muted"> › {data.cluster.name}</span>}
                </p>
                <h1>{data.location.name}</h1>
                {data.location.address && <p>{data.location.address}</p>}
                {data.location.description !== "" && <p class="small muted">{data.location.description}</p>}
              </div>
              {choose && (
                <button type="button" class="btn primary" onClick={choose}>
                  <Icon name="upload" />
                  {text.upload}
                </button>
              )}
            </header>
            {choose && (
              <input
                ref={files}
                class="sr"
                type="file"
                multiple
                tabIndex={-1}
                aria-label={TEXTS.documents.choose}
                onChange={(event) => {
                  addFiles(locationId, [...(event.currentTarget.files ?? [])]);
                  event.currentTarget.value = "";
                }}
              />
            )}
            <UploadList locationId={locationId} />
            {documentId !== null && <DocumentPanel documentId={documentId} locationId={locationId} />}
            <section class="stack" aria-labelledby="documents-title">
              <h2 id="documents-title">{TEXTS.documents.title}</h2>
              <Documents locationId={locationId} choose={choose} />
            </section>
            {choose && (
              <p class="drop">
                <Icon name="upload" />
                <span>
                  {TEXTS.documents.drop}{" "}
                  <button type="button" class="link" onClick={choose}>
                    {TEXTS.documents.dropChoose}
                  </button>
                </span>
                <span class="quiet small">{TEXTS.documents.dropLimit}</span>
              </p>
            )}
          </>
        )}
      </div>
    </Shell>
  );
}
