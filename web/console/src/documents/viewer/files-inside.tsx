import { VIEWER } from "#texts/viewer.ts";
import { type ContainedFiles, type Document, dataOf } from "../../../../../client/src/index.ts";
import { folderPath } from "../../../../../src/platform/paths.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { useLoaded } from "../../../../ui/loading.ts";
import { useLooks } from "../../../../ui/looking.ts";
import { sayFailed } from "../../../../ui/notice.tsx";
import { api } from "../../platform/session.ts";

/** Time between two looks at files that are being taken out, milliseconds. */
const LOOK_MS = 2_000;

const paramsOf = ({ id }: Document) => ({ path: { documentId: id } });

/** The kinds of documents that can have files inside. */
const canContain = ({ kind }: Document): boolean => kind === "mail" || kind === "pdf";

/** The files inside a mail or a PDF, which can become documents of their own. */
export function FilesInside({ document, writable }: { document: Document; writable: boolean }) {
  // Who sees the document alone may not add documents beside it.
  const mayAdd = writable && document.capabilities.LocationView !== "None";
  return canContain(document) ? <State document={document} writable={mayAdd} /> : null;
}

function State({ document, writable }: { document: Document; writable: boolean }) {
  const text = VIEWER.inside;
  const params = paramsOf(document);
  const { data, reload } = useLoaded(`${document.id}/${document.version}`, () =>
    dataOf(api.GET("/v1/documents/{documentId}/contained-files", { params })),
  );
  useLooks(data?.status === "running" ? LOOK_MS : null, reload);
  // Without an answer the document is shown as before.
  if (data === undefined || (data.status === "none" && !writable)) return null;
  const begin = async () => {
    try {
      await dataOf(api.POST("/v1/documents/{documentId}/contained-files", { params }));
    } catch (thrown) {
      sayFailed(text.failed, thrown);
    }
    reload();
  };
  const { status, reason } = data;
  return (
    <section class="card pad stack" aria-labelledby="inside-title">
      <h2 id="inside-title">{text.title}</h2>
      {status === "none" && <p class="small muted">{text.lead(document.kind === "mail")}</p>}
      {status === "running" && <Running {...data} />}
      {reason !== null && <p class="small muted">{reason}</p>}
      {status !== "running" && data.done > 0 && <Made document={document} state={data} />}
      {writable && (status === "none" || status === "stopped") && (
        <p>
          <button type="button" class="btn" onClick={() => void begin()}>
            <Icon name="folder" />
            {status === "none" ? text.begin : text.goOn}
          </button>
        </p>
      )}
    </section>
  );
}

function Running({ total, done }: ContainedFiles) {
  const text = VIEWER.inside;
  return (
    <div class="row wrap" role="status">
      {total === null ? (
        <progress aria-label={text.running} />
      ) : (
        <progress aria-label={text.running} max={Math.max(total, 1)} value={done} />
      )}
      <span class="small muted nums">{total === null ? text.running : text.progress(done, total)}</span>
    </div>
  );
}

function Made({ document, state }: { document: Document; state: ContainedFiles }) {
  const text = VIEWER.inside;
  return (
    <p class="small">
      {text.made(state.done)}{" "}
      {document.capabilities.LocationView !== "None" && state.path !== null && (
        <a href={folderPath(document.locationId, state.path)}>{text.open}</a>
      )}
    </p>
  );
}
