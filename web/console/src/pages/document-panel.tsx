import { useEffect, useRef } from "preact/hooks";
import { dataOf } from "../../../../client/src/index.ts";
import { sizeOf, timeOf } from "../format.ts";
import { Icon } from "../icon.tsx";
import { useLoaded } from "../loading.ts";
import { Alert, Waiting } from "../notice.tsx";
import { address, documentPath, locationPath } from "../router.ts";
import { api } from "../session.ts";
import { TEXTS } from "../texts.ts";
import { download } from "./documents.tsx";

/** Passages that are shown of a document: about two pages. */
const SHOWN_PASSAGES = 6;

async function readDocument(documentId: string, page: number | null) {
  const path = { documentId };
  const query = { limit: SHOWN_PASSAGES, ...(page !== null && { page }) };
  const [document, passages] = await Promise.all([
    dataOf(api.GET("/v1/documents/{documentId}", { params: { path } })),
    dataOf(api.GET("/v1/documents/{documentId}/passages", { params: { path, query } })),
  ]);
  return { document, passages: passages.items };
}

/** A document beside the list of its location: its facts and its text, from the page that the address names. */
export function DocumentPanel({ documentId, locationId }: { documentId: string; locationId: string }) {
  const text = TEXTS.documents;
  const wanted = Number(address.value.searchParams.get("page") ?? Number.NaN);
  const page = Number.isInteger(wanted) && wanted > 0 ? wanted : null;
  const title = useRef<HTMLHeadingElement>(null);
  const { data, error, slow, reload } = useLoaded(`${documentId} ${page}`, () => readDocument(documentId, page));
  const isThere = data !== undefined;
  // A document that is opened gets the focus.
  useEffect(() => {
    if (isThere) title.current?.focus();
  }, [isThere, documentId]);
  if (error !== undefined) return <Alert title={text.panelFailed} error={error} onRetry={reload} />;
  if (data === undefined) return slow ? <Waiting text={TEXTS.loading} /> : null;
  const { document, passages } = data;
  return (
    <section class="card panel" aria-labelledby="document-title">
      <header class="row">
        <h2 id="document-title" class="grow" ref={title} tabIndex={-1}>
          {document.fileName}
        </h2>
        <button type="button" class="btn" onClick={() => download(document)}>
          <Icon name="download" />
          {text.save}
        </button>
        <a class="btn bare icon-only" href={locationPath(locationId)} aria-label={text.closePanel}>
          <Icon name="x" />
        </a>
      </header>
      <p class="small muted nums facts">
        {text.version(document.version)} · {sizeOf(document.sizeBytes)} · {timeOf(document.updatedAtUtc)} ·{" "}
        {text.text(document)}
      </p>
      {page !== null && (
        <p class="row wrap">
          <span class="chip nums">{TEXTS.search.page(page)}</span>
          <a class="small" href={documentPath(locationId, documentId)}>
            {text.wholeText}
          </a>
        </p>
      )}
      {passages.length === 0 && <p class="quiet">{text.noPassages}</p>}
      {passages.map(({ chunkIndex, text: passage }) => (
        <p key={chunkIndex} class="passage">
          {passage}
        </p>
      ))}
      <p class="xs quiet checksum">
        {text.checksum} <code>{document.checksumSha256}</code>
      </p>
    </section>
  );
}
