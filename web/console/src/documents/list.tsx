import { useEffect, useState } from "preact/hooks";
import { type Document, type DocumentList, dataOf } from "../../../../client/src/index.ts";
import { documentPath, folderPath } from "../../../../src/platform/paths.ts";
import { DOCUMENTS } from "../../../texts/documents.ts";
import { sizeOf, timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { More } from "../../../ui/more.tsx";
import { Alert, Calmly, Waiting } from "../../../ui/notice.tsx";
import { useFresh } from "../live/index.ts";
import { api } from "../session.ts";
import { download, remove } from "./actions.ts";
import { uploaded } from "./uploads.ts";

const PAGE_SIZE = 50;

const readPage = (locationId: string, path: string, cursor?: string): Promise<DocumentList> =>
  dataOf(
    api.GET("/v1/spatial/locations/{locationId}/documents", {
      params: { path: { locationId }, query: { limit: PAGE_SIZE, path, cursor } },
    }),
  );

/** Reads the list again: all pages that are shown now. `count` is the number of shown documents. */
async function readFirst(locationId: string, folder: string, count: number): Promise<DocumentList> {
  const all = await readPage(locationId, folder);
  while (all.items.length < count && all.nextCursor !== null) {
    const next = await readPage(locationId, folder, all.nextCursor);
    all.items.push(...next.items);
    all.nextCursor = next.nextCursor;
  }
  return all;
}

function Row({ document, reload }: { document: Document; reload: () => void }) {
  const text = DOCUMENTS;
  const { id, locationId, fileName, contentType, sizeBytes, updatedAtUtc } = document;
  const size = sizeOf(sizeBytes);
  const version = text.version(document.version);
  const [removing, setRemoving] = useState(false);
  return (
    <tr>
      <td>
        <span class="row">
          <Icon name={contentType.startsWith("image/") ? "image" : "file"} />
          <span class="grow">
            <a href={documentPath(id)}>{fileName}</a>
            {document.path !== "" && (
              <a class="folder small muted" href={folderPath(locationId, document.path)}>
                {document.path}
              </a>
            )}
            <span class="phone-only xs muted nums">
              {version} · {text.text(document)} · {size}
            </span>
          </span>
        </span>
      </td>
      <td class="nums">{version}</td>
      <td>{text.text(document)}</td>
      <td class="num nums">{size}</td>
      <td class="nums">
        <time dateTime={updatedAtUtc}>{timeOf(updatedAtUtc)}</time>
      </td>
      <td class="actions">
        <button
          type="button"
          class="btn bare icon-only"
          aria-label={text.download(fileName)}
          onClick={() => download(document)}
        >
          <Icon name="download" />
        </button>
        {document.capabilities.Documents === "Write" && (
          <button
            type="button"
            class="btn bare icon-only"
            aria-label={text.remove(fileName)}
            disabled={removing}
            onClick={() => {
              setRemoving(true);
              remove(document, reload).finally(() => setRemoving(false));
            }}
          >
            <Icon name="trash" />
          </button>
        )}
      </td>
    </tr>
  );
}

interface DocumentsProps {
  locationId: string;
  /** Only documents in this folder and below it; all for "". */
  folder: string;
  /** Opens the file input; null if the person may not add files. */
  choose: (() => void) | null;
}

/** The documents of a location. */
export function Documents({ locationId, folder, choose }: DocumentsProps) {
  const text = DOCUMENTS;
  const [count, setCount] = useState(PAGE_SIZE);
  const [list, setList] = useState<{ folder: string; page: DocumentList } | null>(null);
  const loaded = useLoaded(`${locationId} ${count} ${uploaded.value?.id} ${uploaded.value?.version} ${folder}`, () =>
    readFirst(locationId, folder, count),
  );
  // The rows stay during the next read.
  useEffect(() => {
    if (loaded.data !== undefined) setList({ folder, page: loaded.data });
  }, [loaded.data, folder]);
  const shown = loaded.data ?? (list?.folder === folder ? list.page : undefined);
  const { reload } = loaded;
  useFresh(
    [locationId],
    reload,
    (event) =>
      event.kind === "DocumentUploaded" || (event.kind === "StateUpdated" && event.subject.type === "document"),
  );

  if (loaded.error !== undefined) return <Alert title={text.failed} error={loaded.error} onRetry={reload} />;
  if (shown === undefined) return loaded.slow ? <Waiting text={text.loading} /> : null;
  if (shown.items.length === 0)
    return (
      <div class="card frame">
        <Calmly icon="upload" title={text.none} help={choose ? text.noneHelp : text.noneReadOnly}>
          {choose && (
            <button type="button" class="btn" onClick={choose}>
              {text.choose}
            </button>
          )}
        </Calmly>
      </div>
    );
  const { columns } = text;
  return (
    <>
      <div class="card table">
        <table>
          <caption class="sr">{text.title}</caption>
          <thead>
            <tr>
              <th scope="col">{columns.name}</th>
              <th scope="col">{columns.version}</th>
              <th scope="col">{columns.text}</th>
              <th scope="col" class="num">
                {columns.size}
              </th>
              <th scope="col">{columns.changed}</th>
              <th scope="col" class="actions">
                <span class="sr">{columns.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.items.map((document) => (
              <Row key={document.id} document={document} reload={reload} />
            ))}
          </tbody>
        </table>
      </div>
      <More more={shown.nextCursor !== null ? () => setCount(count + PAGE_SIZE) : null} />
    </>
  );
}
