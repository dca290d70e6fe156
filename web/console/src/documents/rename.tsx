import { useLayoutEffect, useRef } from "preact/hooks";
import { VIEWER } from "#texts/viewer.ts";
import { type Document, dataOf } from "../../../../client/src/index.ts";
import { sayFailed } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";
import { act } from "./changed.ts";

/** The name of a document as a field in its place: Enter or another place saves it, Escape leaves it as it was. */
export function RenameField({ document, onEnd }: { document: Document; onEnd: (renamed: boolean) => void }) {
  const { id, fileName, revision } = document;
  const field = useRef<HTMLInputElement>(null);
  const isEnded = useRef(false);
  // Before the page is drawn, so that nothing that is typed goes elsewhere.
  useLayoutEffect(() => {
    field.current?.focus();
    // The ending of the name mostly stays.
    const dot = fileName.lastIndexOf(".");
    field.current?.setSelectionRange(0, dot > 0 ? dot : fileName.length);
  }, [fileName]);
  const end = async (isKept: boolean) => {
    if (isEnded.current) return;
    isEnded.current = true;
    const name = field.current?.value.trim() ?? "";
    if (!isKept || name === "" || name === fileName) return onEnd(false);
    try {
      const params = { path: { documentId: id } };
      const body = { fileName: name, baseRevision: revision };
      await act(() => dataOf(api.PATCH("/v1/documents/{documentId}", { params, body })));
      onEnd(true);
    } catch (thrown) {
      sayFailed(VIEWER.editFailed, thrown);
      onEnd(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void end(true);
      }}
    >
      <input
        ref={field}
        class="input"
        aria-label={VIEWER.fileName}
        defaultValue={fileName}
        maxLength={255}
        onBlur={() => void end(true)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          void end(false);
        }}
      />
    </form>
  );
}
