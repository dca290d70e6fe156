import "./documents.css";
import { useRef } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { folderPath } from "../../../../src/platform/paths.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { TabProps } from "../platform/lazy.tsx";
import { address } from "../platform/router.ts";
import { chosenFiles, useDrop } from "./drop.ts";
import { Documents } from "./list.tsx";
import { LeftUploads, UploadList } from "./upload-list.tsx";
import { addFiles } from "./uploads.ts";

/** The shown folder and the folders above it, which are links. */
function Folders({ locationId, folder }: { locationId: string; folder: string }) {
  const parts = folder.split("/");
  return (
    <nav class="row wrap folders" aria-label={DOCUMENTS.folders}>
      <a href={folderPath(locationId, "")}>{DOCUMENTS.allFolders}</a>
      {parts.map((name, n) => {
        const path = parts.slice(0, n + 1).join("/");
        return (
          <span key={path} class="row">
            <Icon name="right" />
            {n === parts.length - 1 ? (
              <b aria-current="page">{name}</b>
            ) : (
              <a href={folderPath(locationId, path)}>{name}</a>
            )}
          </span>
        );
      })}
    </nav>
  );
}

/**
 * The documents of a location, or of one of its folders. Files that are dropped anywhere on the page are uploaded
 * there.
 */
export default function DocumentsTab({ location }: TabProps) {
  const files = useRef<HTMLInputElement>(null);
  const folders = useRef<HTMLInputElement | null>(null);
  const folder = address.value.searchParams.get("folder") ?? "";
  const writable = location.capabilities.Documents === "Write";
  const choose = writable ? () => files.current?.click() : null;
  const dragging = useDrop(folder, writable ? (dropped) => addFiles(location.id, dropped) : null);
  const onChosen = ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
    addFiles(location.id, chosenFiles(input.files ?? [], folder));
    input.value = "";
  };
  return (
    <div class={dragging ? "stack dragging" : "stack"}>
      <UploadList locationId={location.id} />
      {choose && <LeftUploads locationId={location.id} choose={choose} />}
      <section class="stack" aria-labelledby="documents-title">
        <header class="row wrap">
          <h2 id="documents-title" class="grow">
            {DOCUMENTS.title}
          </h2>
          {choose && (
            <>
              <button type="button" class="btn phone-hide" onClick={() => folders.current?.click()}>
                <Icon name="folder" />
                {DOCUMENTS.uploadFolder}
              </button>
              <button type="button" class="btn primary" onClick={choose}>
                <Icon name="upload" />
                {DOCUMENTS.upload}
              </button>
            </>
          )}
        </header>
        {folder !== "" && <Folders locationId={location.id} folder={folder} />}
        <Documents organizationId={location.organizationId} locationId={location.id} folder={folder} choose={choose} />
      </section>
      {choose && (
        <>
          <input
            ref={files}
            class="sr"
            type="file"
            multiple
            tabIndex={-1}
            aria-label={DOCUMENTS.choose}
            onChange={onChosen}
          />
          <input
            ref={(input) => {
              folders.current = input;
              if (input) input.webkitdirectory = true;
            }}
            class="sr"
            type="file"
            tabIndex={-1}
            aria-label={DOCUMENTS.uploadFolder}
            onChange={onChosen}
          />
        </>
      )}
    </div>
  );
}
