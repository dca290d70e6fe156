import { useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { SEARCH } from "#texts/search.ts";
import { VIEWER } from "#texts/viewer.ts";
import { type Document, dataOf } from "../../../../client/src/index.ts";
import { IconButton } from "../../../ui/buttons.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { Content, download, usePassage } from "../documents/index.ts";
import { report } from "../platform/interactions.ts";
import { api } from "../platform/session.ts";
import { iconOf, Marked, whereOf } from "./hits.tsx";
import { type Line, openLine, wordsOf } from "./lines.ts";

const readDocument = (documentId: string): Promise<Document> =>
  dataOf(api.GET("/v1/documents/{documentId}", { params: { path: { documentId } } }));

/** The pages of a document, at the passage of the line. */
function DocumentPreview({ line, document }: { line: Line; document: Document }) {
  const { pageNumber = null, chunkIndex = null } = line.source ?? {};
  const [page, setPage] = useState(pageNumber ?? 1);
  const passage = usePassage(document.id, pageNumber, chunkIndex);
  return (
    <Content
      document={document}
      page={page}
      onPage={setPage}
      passage={chunkIndex}
      marks={{ passage, words: wordsOf(line.snippet) }}
    />
  );
}

/** The search's data of a location, a cluster or a note. */
function PlacePreview({ line: { hit, snippet } }: { line: Line }) {
  return (
    <article class="sheet">
      <p class="row small muted">
        <Icon name={iconOf(hit.resultType)} />
        {SEARCH.kinds[hit.resultType]}
      </p>
      <h3>
        <Marked html={hit.markedTitle} />
      </h3>
      <p class="small muted">{whereOf(hit)}</p>
      {snippet !== null && (
        <p>
          <Marked html={snippet} />
        </p>
      )}
    </article>
  );
}

/**
 * The result at the side of the list, with its passage marked on its page.
 * @param lines the lines of its document, to step through
 */
export function Preview(props: {
  line: Line;
  lines: readonly Line[];
  onLine: (line: Line) => void;
  onClose: () => void;
}) {
  const { line, lines, onLine, onClose } = props;
  const documentId = line.source?.documentId ?? null;
  const read = useLoaded(documentId ?? "", () =>
    documentId === null ? Promise.resolve(null) : readDocument(documentId),
  );
  const at = lines.findIndex(({ resultId }) => resultId === line.resultId);
  const step = (by: number) => {
    const next = lines[at + by];
    if (next !== undefined) onLine(next);
  };
  return (
    <section class="preview" aria-label={SEARCH.preview} onCopy={() => report(line.reported, "SnippetCopy")}>
      <header class="preview-head">
        <div class="grow">
          <h2 class="cut">{line.hit.title}</h2>
          <p class="xs muted nums cut" role="status">
            {lines.length > 1 ? SEARCH.matchOf(at + 1, line.hit.passageCount) : whereOf(line.hit)}
          </p>
        </div>
        {lines.length > 1 && (
          <>
            <button
              type="button"
              class="btn icon-only"
              aria-label={SEARCH.previousMatch}
              disabled={at <= 0}
              onClick={() => step(-1)}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              class="btn icon-only"
              aria-label={SEARCH.nextMatch}
              disabled={at >= lines.length - 1}
              onClick={() => step(1)}
            >
              <Icon name="down" />
            </button>
          </>
        )}
        {read.data && (
          <button
            type="button"
            class="btn icon-only"
            aria-label={VIEWER.download}
            onClick={() => {
              report(line.reported, "Download");
              if (read.data) void download(read.data);
            }}
          >
            <Icon name="download" />
          </button>
        )}
        <button type="button" class="btn primary" onClick={() => openLine(line)}>
          {SEARCH.openResult}
        </button>
        <IconButton icon="x" label={COMMON.close} onPress={onClose} />
      </header>
      <div class="view">
        {read.error !== undefined && <Alert title={VIEWER.failed} error={read.error} onRetry={read.reload} />}
        {read.slow && read.data === undefined && <Waiting text={VIEWER.opening} />}
        {read.data && <DocumentPreview key={line.resultId} line={line} document={read.data} />}
        {documentId === null && <PlacePreview line={line} />}
      </div>
    </section>
  );
}
