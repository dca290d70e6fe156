import { useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { sizeOf } from "#texts/language.ts";
import { type Document, dataOf } from "../../../../client/src/index.ts";
import { documentPath, folderPath } from "../../../../src/platform/paths.ts";
import { CardTable } from "../../../ui/card-table.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { More } from "../../../ui/more.tsx";
import { Alert, CalmCard, Waiting } from "../../../ui/notice.tsx";
import { usePages } from "../../../ui/pages.ts";
import { useFresh } from "../platform/live/index.ts";
import { api } from "../platform/session.ts";
import { download, remove } from "./actions.ts";
import { uploaded } from "./uploads.ts";

const PAGE_SIZE = 50;

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
              void remove(document, reload).finally(() => setRemoving(false));
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
  const { items, more, error, slow, reload } = usePages(
    `${locationId} ${folder}`,
    (cursor) =>
      dataOf(
        api.GET("/v1/spatial/locations/{locationId}/documents", {
          params: { path: { locationId }, query: { limit: PAGE_SIZE, path: folder, cursor } },
        }),
      ),
    `${uploaded.value?.id} ${uploaded.value?.version}`,
  );
  useFresh(
    [locationId],
    reload,
    (event) =>
      event.kind === "DocumentUploaded" || (event.kind === "StateUpdated" && event.subject.type === "document"),
  );

  if (error !== undefined) return <Alert title={text.failed} error={error} onRetry={reload} />;
  if (items === undefined) return slow ? <Waiting text={text.loading} /> : null;
  if (items.length === 0)
    return (
      <CalmCard icon="upload" title={text.none} help={choose ? text.noneHelp : text.noneReadOnly}>
        {choose && (
          <button type="button" class="btn" onClick={choose}>
            {text.choose}
          </button>
        )}
      </CalmCard>
    );
  const { columns } = text;
  return (
    <>
      <CardTable
        title={text.title}
        columns={[columns.name, columns.version, columns.text, { number: columns.size }, columns.changed]}
        actions={columns.actions}
      >
        {items.map((document) => (
          <Row key={document.id} document={document} reload={reload} />
        ))}
      </CardTable>
      <More more={more} />
      {choose && (
        <p class="drop">
          <Icon name="upload" />
          <span>
            {text.drop}{" "}
            <button type="button" class="link" onClick={choose}>
              {text.dropChoose}
            </button>
          </span>
          <span class="quiet small">{text.dropLimit}</span>
        </p>
      )}
    </>
  );
}
