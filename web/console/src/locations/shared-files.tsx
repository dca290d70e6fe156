import { useEffect, useState } from "preact/hooks";
import { SHARED } from "#texts/locations.ts";
import type { Location } from "../../../../client/src/index.ts";
import { HOME, tabPath } from "../../../../src/platform/paths.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Choice, Form } from "../../../ui/form.tsx";
import { addFiles } from "../documents/index.ts";
import { sharedFiles } from "../platform/installed.ts";
import { navigate } from "../platform/router.ts";

/** Asks for the location that gets the files that the phone has shared. */
export default function SharedFiles({ locations }: { locations: readonly Location[] }) {
  const [files, setFiles] = useState<File[] | null>(null);
  useEffect(() => {
    void sharedFiles().then(setFiles);
  }, []);
  const writable = locations.filter(({ capabilities }) => capabilities.Documents === "Write");
  const close = () => navigate(HOME, { replace: true });
  if (files === null) return null;
  const problem = files.length === 0 ? SHARED.none : writable.length === 0 ? SHARED.nowhere : null;
  return (
    <Dialog title={SHARED.title} onClose={close}>
      {problem !== null ? (
        <>
          <p>{problem}</p>
          <div class="row buttons">
            <Cancel onClose={close} />
          </div>
        </>
      ) : (
        <Form
          send={SHARED.send}
          failed={SHARED.failed}
          onSend={async (value) => {
            const locationId = value("location");
            addFiles(
              locationId,
              files.map((file) => ({ file, path: "" })),
            );
            navigate(tabPath(locationId, "documents"), { replace: true });
          }}
          beside={<Cancel onClose={close} />}
        >
          <p>{SHARED.help(files.length)}</p>
          <Choice
            label={SHARED.location}
            name="location"
            options={writable.map(({ id, name }) => ({ value: id, label: name }))}
            value={writable[0]?.id ?? ""}
          />
        </Form>
      )}
    </Dialog>
  );
}
