import { DOCUMENTS } from "#texts/documents.ts";
import { sizeOf } from "#texts/language.ts";
import type { Document } from "../../../../client/src/index.ts";
import { documentPath, folderPath } from "../../../../src/platform/paths.ts";
import { BusyButton, IconButton } from "../../../ui/buttons.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { download, remove } from "./actions.ts";
import { tellChanged } from "./changed.ts";
import { draggable } from "./dragging.ts";
import { RenameField } from "./rename.tsx";
import type { Selection } from "./selection.ts";
import { TagChip } from "./tags.tsx";
import { Thumbnail } from "./thumbnail.tsx";

interface ItemProps {
  document: Document;
  /** Whether its name is a field now; `rename` makes the name of a document a field, or of none. */
  isRenamed: boolean;
  rename: (id: string | null) => void;
  selection: Selection;
}

/** Selects a document. With Shift, all documents from the last one. */
const PickBox = ({ document: { id, fileName }, selection }: Pick<ItemProps, "document" | "selection">) => (
  <label class="pick">
    <input
      type="checkbox"
      aria-label={DOCUMENTS.select(fileName)}
      checked={selection.has(id)}
      onClick={(event) => selection.toggle(id, event.shiftKey)}
    />
  </label>
);

/** The properties of an item that is dragged to a folder: with it all selected documents, if it is selected. */
function draggedItem({ document, selection, isRenamed }: ItemProps) {
  if (document.capabilities.Documents !== "Write" || isRenamed) return {};
  const { locationId } = document;
  return draggable(() => ({
    locationId,
    documents: selection.has(document.id)
      ? selection.documents.filter(({ capabilities }) => capabilities.Documents === "Write")
      : [document],
  }));
}

/** The name of a document: a link to it, or a field while it is renamed. */
function Name({ document, isRenamed, rename }: ItemProps) {
  if (!isRenamed) return <a href={documentPath(document.id)}>{document.fileName}</a>;
  const onEnd = (renamed: boolean) => {
    rename(null);
    if (renamed) tellChanged({ ids: [document.id], gone: [], by: "act" });
  };
  return <RenameField document={document} onEnd={onEnd} />;
}

const Tags = ({ tags }: Pick<Document, "tags">) =>
  tags.length === 0 ? null : (
    <span class="row wrap tags">
      {tags.map((tag) => (
        <TagChip key={tag.id} tag={tag} />
      ))}
    </span>
  );

export function Row(props: ItemProps) {
  const { document, selection } = props;
  const text = DOCUMENTS;
  const { id, locationId, fileName, contentType, sizeBytes, updatedAtUtc } = document;
  const size = sizeOf(sizeBytes);
  const version = text.version(document.version);
  return (
    <tr data-document={id} class={selection.has(id) ? "open" : undefined} {...draggedItem(props)}>
      <td>
        <span class="row">
          <PickBox document={document} selection={selection} />
          <Icon name={contentType.startsWith("image/") ? "image" : "file"} />
          <span class="grow">
            <Name {...props} />
            {document.path !== "" && (
              <a class="folder small muted" href={folderPath(locationId, document.path)}>
                {document.path}
              </a>
            )}
            <Tags tags={document.tags} />
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
      <td>{document.createdByName}</td>
      <td class="actions">
        <IconButton icon="download" label={text.download(fileName)} onPress={() => download(document)} />
        {document.capabilities.Documents === "Write" && (
          <BusyButton bare label={text.remove(fileName)} onPress={() => remove(document)}>
            <Icon name="trash" />
          </BusyButton>
        )}
      </td>
    </tr>
  );
}

export function Card(props: ItemProps) {
  const { document, selection } = props;
  const { id, sizeBytes } = document;
  return (
    <article
      data-document={id}
      class={selection.has(id) ? "card doc-card open" : "card doc-card"}
      {...draggedItem(props)}
    >
      <Thumbnail document={document} />
      <span class="row">
        <PickBox document={document} selection={selection} />
        <span class="grow">
          <Name {...props} />
          <span class="xs muted nums">{sizeOf(sizeBytes)}</span>
          <Tags tags={document.tags} />
        </span>
      </span>
    </article>
  );
}
