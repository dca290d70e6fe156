import { useRef } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { sizeOf } from "#texts/language.ts";
import { VIEWER } from "#texts/viewer.ts";
import { type Document, type DocumentVersion, dataOf } from "../../../../../client/src/index.ts";
import { documentPath } from "../../../../../src/platform/paths.ts";
import { IconButton } from "../../../../ui/buttons.tsx";
import { timeOf } from "../../../../ui/format.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { say, sayFailed } from "../../../../ui/notice.tsx";
import { api, session } from "../../platform/session.ts";
import { download } from "../actions.ts";
import { formatOf } from "../format.ts";
import { addFiles } from "../uploads.ts";
import { FilesInside } from "./files-inside.tsx";

interface SideProps {
  document: Document;
  versions: DocumentVersion[];
  writable: boolean;
}

/** The ending of a file's name, such as ".pdf", for a file input. */
const endingOf = (fileName: string): string => /\.[^.]+$/.exec(fileName)?.[0] ?? "";

function Versions({ document, versions, writable }: SideProps) {
  const text = VIEWER;
  const files = useRef<HTMLInputElement>(null);
  return (
    <section class="card" aria-labelledby="versions-title">
      <h2 id="versions-title" class="pad">
        {text.versions}
      </h2>
      <ul class="list">
        {versions.map(({ version, createdAtUtc, sizeBytes }) => (
          <li key={version}>
            <span class="grow">
              <a
                class="strong"
                href={documentPath(document.id, { version: version === document.version ? null : version })}
                aria-label={text.showVersion(version)}
              >
                {text.versionName(version)}
              </a>
              {version === document.version && <span class="small muted"> · {text.current}</span>}
              <br />
              <span class="small muted nums">
                <time dateTime={createdAtUtc}>{timeOf(createdAtUtc)}</time> · {sizeOf(sizeBytes)}
              </span>
            </span>
            <IconButton
              icon="download"
              label={text.downloadVersion(version)}
              onPress={() => download(document, version)}
            />
          </li>
        ))}
      </ul>
      {writable && (
        <p class="pad">
          <input
            ref={files}
            class="sr"
            type="file"
            accept={endingOf(document.fileName)}
            tabIndex={-1}
            aria-label={text.newVersion}
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              const { locationId, fileName, path } = document;
              if (file) addFiles(locationId, [{ file, fileName, path }]);
              event.currentTarget.value = "";
            }}
          />
          <button type="button" class="btn" onClick={() => files.current?.click()}>
            <Icon name="upload" />
            {text.newVersion}
          </button>
        </p>
      )}
    </section>
  );
}

/** Lets the service extract the text of a document from its file again. */
async function readTextAgain(documentId: string): Promise<void> {
  const params = { path: { documentId }, query: { readTextAgain: "true" } } as const;
  try {
    await dataOf(api.POST("/v1/search/index/documents/{documentId}", { params }));
    say(VIEWER.readingAgain);
  } catch (thrown) {
    sayFailed(VIEWER.readAgainFailed, thrown);
  }
}

/** The side panel of a document: its facts and its versions. */
export function Side(props: SideProps) {
  const text = VIEWER;
  const { document } = props;
  const { width, height, textDetail } = document;
  const facts: [string, string][] = [
    [text.kind, formatOf(document)],
    [text.size, sizeOf(document.sizeBytes)],
    ...(width !== null && height !== null ? [["", text.pixels(width, height)] satisfies [string, string]] : []),
    [text.textState, DOCUMENTS.text(document)],
    [text.folder, document.path || text.root],
    [text.changed, timeOf(document.updatedAtUtc)],
  ];
  return (
    <aside class="stack side" aria-label={text.facts}>
      <section class="card pad">
        <dl class="factlist small nums">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {textDetail !== null && <p class="small muted">{textDetail}</p>}
        {session.value?.user.isAdmin && (
          <p>
            <button type="button" class="btn" onClick={() => void readTextAgain(document.id)}>
              <Icon name="retry" />
              {text.readAgain}
            </button>
          </p>
        )}
        <p class="xs quiet checksum">
          {text.checksum} <code>{document.checksumSha256}</code>
        </p>
      </section>
      <FilesInside document={document} writable={props.writable} />
      <Versions {...props} />
    </aside>
  );
}
