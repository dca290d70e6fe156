import "../documents.css";
import { useSignalEffect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { LOCATIONS } from "#texts/locations.ts";
import { VIEWER } from "#texts/viewer.ts";
import { type DocumentVersion, dataOf, eachItem, ProblemError } from "../../../../../client/src/index.ts";
import { documentPath, documentPeoplePath, HOME, tabPath } from "../../../../../src/platform/paths.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { useLoaded } from "../../../../ui/loading.ts";
import { Alert, Waiting } from "../../../../ui/notice.tsx";
import { useTitle } from "../../../../ui/title.ts";
import { DocumentPeople, organizationOf, roleShares } from "../../people/index.ts";
import { Gone } from "../../platform/gone.tsx";
import { beginReading, reportOpened } from "../../platform/interactions.ts";
import type { ViewProps } from "../../platform/lazy.tsx";
import { useEvents, useFresh } from "../../platform/live/index.ts";
import { address, navigate } from "../../platform/router.ts";
import { api } from "../../platform/session.ts";
import { download, remove } from "../actions.ts";
import { UploadList } from "../upload-list.tsx";
import { uploaded } from "../uploads.ts";
import { Content } from "./content.tsx";
import { EditDocument } from "./edit.tsx";
import { usePassage } from "./passage.ts";
import { Side } from "./side.tsx";

/** Maximum number of versions that are listed. */
const MAX_LISTED_VERSIONS = 200;

async function readDocument(documentId: string) {
  const path = { documentId };
  const readVersions = async () => {
    const all: DocumentVersion[] = [];
    const pages = eachItem((cursor) =>
      dataOf(api.GET("/v1/documents/{documentId}/versions", { params: { path, query: { limit: 100, cursor } } })),
    );
    for await (const one of pages) if (all.push(one) === MAX_LISTED_VERSIONS) break;
    return all;
  };
  const [document, versions] = await Promise.all([
    dataOf(api.GET("/v1/documents/{documentId}", { params: { path } })),
    readVersions(),
  ]);
  const { locationId, capabilities } = document;
  // A guest of the document alone does not see its location.
  const location =
    capabilities.LocationView === "None"
      ? null
      : await dataOf(api.GET("/v1/spatial/locations/{locationId}", { params: { path: { locationId } } })).catch(
          () => null,
        );
  return { document, versions, location };
}

/** A number in the address, at least `least`. */
function numberIn(name: string, least: number): number | null {
  const value = address.value.searchParams.get(name);
  return value !== null && /^\d{1,9}$/.test(value) && Number(value) >= least ? Number(value) : null;
}

function DocumentPage({ documentId }: { documentId: string }) {
  const text = VIEWER;
  const [page, passage] = [numberIn("page", 1), numberIn("passage", 0)];
  const words = (address.value.searchParams.get("find") ?? "").split(" ").filter((word) => word !== "");
  const { data, error, slow, reload } = useLoaded(documentId, () => readDocument(documentId));
  // A guest of the document alone hears no events of its location.
  useSignalEffect(() => {
    if (uploaded.value?.id === documentId) reload();
  });
  const marked = usePassage(documentId, page, passage);
  const [editing, setEditing] = useState(false);
  const [revoked, setRevoked] = useState(false);
  useTitle((revoked ? undefined : data?.document.fileName) ?? text.page(1));
  const isThere = data !== undefined;
  useEffect(() => (isThere ? beginReading(documentId) : undefined), [isThere, documentId]);
  const places = data?.location ? [data.location.id] : [];
  useEvents(["SubscriptionRevoked"], places, () => setRevoked(true));
  useFresh(
    places,
    reload,
    (event) =>
      (event.kind === "DocumentUploaded" && event.documentId === documentId) ||
      (event.kind === "StateUpdated" && event.subject.id === documentId),
  );
  if (revoked || (error instanceof ProblemError && error.status === 404))
    return <Gone title={VIEWER.gone} help={VIEWER.goneHelp} />;
  if (error !== undefined) return <Alert title={text.failed} error={error} onRetry={reload} />;
  if (data === undefined) return slow ? <Waiting text={text.opening} /> : null;
  const { document, versions, location } = data;
  const writable = document.capabilities.Documents === "Write";
  const shares = writable && roleShares(organizationOf(document.organizationId));
  const listPath = location === null ? HOME : tabPath(location.id, "documents");
  const old = versions.find((one) => one.version === numberIn("version", 1) && one.version !== document.version);
  const openPage = (next: number) =>
    navigate(documentPath(documentId, { page: next, words, version: old?.version ?? null }), { replace: true });
  return (
    <>
      <header class="page-head">
        <div class="grow">
          <p class="small">
            <a class="backlink" href={listPath}>
              {location?.name ?? LOCATIONS.title}
            </a>
            {document.path !== "" && <span class="muted"> › {document.path}</span>}
          </p>
          <h1>{document.fileName}</h1>
        </div>
        <div class="row wrap">
          <a class="btn" href={documentPeoplePath(documentId)} aria-label={shares ? text.share : text.people}>
            <Icon name={shares ? "share" : "people"} />
            <span class="phone-hide">{shares ? text.share : text.people}</span>
          </a>
          {writable && (
            <>
              <button type="button" class="btn" aria-label={text.edit} onClick={() => setEditing(true)}>
                <Icon name="folder" />
                <span class="phone-hide">{text.edit}</span>
              </button>
              <button
                type="button"
                class="btn"
                aria-label={text.remove}
                onClick={() =>
                  remove(document, (back) => navigate(back ? documentPath(documentId) : listPath, { replace: true }))
                }
              >
                <Icon name="trash" />
                <span class="phone-hide">{text.remove}</span>
              </button>
            </>
          )}
          <button type="button" class="btn primary" onClick={() => download(document)}>
            <Icon name="download" />
            {text.download}
          </button>
        </div>
      </header>
      <UploadList locationId={document.locationId} />
      <div class="viewer">
        <div class="view" onCopy={() => reportOpened(documentId, "SnippetCopy")}>
          {old !== undefined && (
            <p class="viewbar" role="status">
              <span class="grow">{text.oldVersion(old.version)}</span>
              <a class="btn" href={documentPath(documentId)}>
                {text.toNewest}
              </a>
            </p>
          )}
          <Content
            document={old === undefined ? document : { ...document, ...old, id: documentId }}
            isNewest={old === undefined}
            page={page ?? 1}
            onPage={openPage}
            passage={passage}
            marks={{ passage: marked, words }}
          />
        </div>
        <Side document={document} versions={versions} writable={writable} />
      </div>
      {editing && (
        <EditDocument
          document={document}
          onClose={(changed) => {
            setEditing(false);
            if (changed) reload();
          }}
        />
      )}
    </>
  );
}

/** A document at its own address: its pages or its picture, with the passage that a search found marked. */
export default function DocumentView({ path: [documentId = "", part] }: ViewProps) {
  return (
    <div class="page">
      {part === "people" ? (
        <DocumentPeople key={documentId} documentId={documentId} />
      ) : (
        <DocumentPage key={documentId} documentId={documentId} />
      )}
    </div>
  );
}
