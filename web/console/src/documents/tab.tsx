import "./documents.css";
import { useRef } from "preact/hooks";
import { DOCUMENTS } from "../../../texts/documents.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { TabProps } from "../locations/tabs.ts";
import { address } from "../router.ts";
import { useDrop } from "./drop.ts";
import { Documents } from "./list.tsx";
import { DocumentPanel } from "./panel.tsx";
import { UploadList } from "./upload-list.tsx";
import { addFiles } from "./uploads.ts";

/** The documents of a location. Files that are dropped anywhere on the page are uploaded. */
export function DocumentsTab({ location }: TabProps) {
  const files = useRef<HTMLInputElement>(null);
  const writable = location.capabilities.Documents === "Write";
  const choose = writable ? () => files.current?.click() : null;
  const dragging = useDrop(writable ? (dropped) => addFiles(location.id, dropped) : null);
  const documentId = address.value.searchParams.get("document");
  return (
    <div class={dragging ? "stack dragging" : "stack"}>
      <UploadList locationId={location.id} />
      {documentId !== null && <DocumentPanel documentId={documentId} locationId={location.id} />}
      <section class="stack" aria-labelledby="documents-title">
        <header class="row">
          <h2 id="documents-title" class="grow">
            {DOCUMENTS.title}
          </h2>
          {choose && (
            <button type="button" class="btn primary" onClick={choose}>
              <Icon name="upload" />
              {DOCUMENTS.upload}
            </button>
          )}
        </header>
        <Documents locationId={location.id} choose={choose} />
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
            onChange={(event) => {
              addFiles(location.id, [...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
          <p class="drop">
            <Icon name="upload" />
            <span>
              {DOCUMENTS.drop}{" "}
              <button type="button" class="link" onClick={choose}>
                {DOCUMENTS.dropChoose}
              </button>
            </span>
            <span class="quiet small">{DOCUMENTS.dropLimit}</span>
          </p>
        </>
      )}
    </div>
  );
}
