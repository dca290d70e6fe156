import "./documents.css";
import "./uploads.css";
import { useRef, useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { FOLDERS } from "#texts/folders.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { TabProps } from "../platform/lazy.tsx";
import { address } from "../platform/router.ts";
import { chosenFiles, useDrop } from "./drop.ts";
import { FolderList, FolderTrail, NewFolder } from "./folder-list.tsx";
import { useFolders } from "./folders.ts";
import { Documents } from "./list.tsx";
import { WorkLines } from "./progress.tsx";
import { LeftUploads, UploadList } from "./upload-list.tsx";
import { addFiles } from "./uploads.ts";

/**
 * The documents of a location, or of one of its folders. Files that are dropped anywhere on the page are uploaded
 * there.
 */
export default function DocumentsTab({ location }: TabProps) {
  const files = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement | null>(null);
  const folder = address.value.searchParams.get("folder") ?? "";
  const writable = location.capabilities.Documents === "Write";
  const folders = useFolders(location.id, folder);
  const [naming, setNaming] = useState(false);
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
              <button type="button" class="btn" onClick={() => setNaming(true)}>
                <Icon name="plus" />
                {FOLDERS.create}
              </button>
              <button type="button" class="btn phone-hide" onClick={() => folderInput.current?.click()}>
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
        {folder !== "" && <FolderTrail locationId={location.id} folder={folder} writable={writable} />}
        <WorkLines />
        <FolderList
          at={{ organizationId: location.organizationId, locationId: location.id }}
          loaded={folders}
          writable={writable}
        />
        <Documents
          organizationId={location.organizationId}
          locationId={location.id}
          folder={folder}
          writable={writable}
          isReady={folders.data !== undefined || folders.error !== undefined}
          choose={choose}
        />
      </section>
      {naming && <NewFolder locationId={location.id} folder={folder} onClose={() => setNaming(false)} />}
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
              folderInput.current = input;
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
