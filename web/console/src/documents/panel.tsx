import { useEffect, useRef } from "preact/hooks";
import { dataOf } from "../../../../client/src/index.ts";
import { COMMON } from "../../../texts/common.ts";
import { DOCUMENTS } from "../../../texts/documents.ts";
import { SEARCH } from "../../../texts/search.ts";
import { sizeOf, timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { address, documentPath, locationPath } from "../router.ts";
import { api } from "../session.ts";
import { download } from "./list.tsx";

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
  const text = DOCUMENTS;
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
  if (data === undefined) return slow ? <Waiting text={COMMON.loading} /> : null;
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
          <span class="chip nums">{SEARCH.page(page)}</span>
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
