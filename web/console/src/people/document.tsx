import { PEOPLE } from "#texts/people.ts";
import { VIEWER } from "#texts/viewer.ts";
import { dataOf } from "../../../../client/src/index.ts";
import { documentPath, tabPath } from "../../../../src/platform/paths.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { useTitle } from "../../../ui/title.ts";
import { Opened } from "../platform/opened.tsx";
import { api } from "../platform/session.ts";
import { Access } from "./access.tsx";
import { ClusterShares, Shares } from "./shares.tsx";

const NONE = () => null;

/** A document with its location and its cluster, if the person may see them. */
async function readPlaces(documentId: string) {
  const document = await dataOf(api.GET("/v1/documents/{documentId}", { params: { path: { documentId } } }));
  const { locationId, clusterId, capabilities } = document;
  // A guest of only the document sees neither.
  const location =
    capabilities.LocationView === "None"
      ? null
      : await dataOf(api.GET("/v1/spatial/locations/{locationId}", { params: { path: { locationId } } })).catch(NONE);
  const cluster =
    capabilities.ClusterView === "None"
      ? null
      : await dataOf(api.GET("/v1/spatial/clusters/{clusterId}", { params: { path: { clusterId } } })).catch(NONE);
  return { document, location, cluster };
}

type Places = Awaited<ReturnType<typeof readPlaces>>;

function DocumentAccess({ document, location, cluster }: Places) {
  const text = PEOPLE;
  const { id, organizationId, locationId, clusterId, capabilities } = document;
  return (
    <Access
      of={{ kind: "document", id, levels: capabilities }}
      organizationId={organizationId}
      within={[
        ["location", locationId],
        ["cluster", clusterId],
      ]}
    >
      {location && (
        <Shares
          title={text.byLocation(location.name)}
          of={{ kind: "location", id: location.id, levels: location.capabilities }}
          editable={false}
          changedAt={{ href: tabPath(location.id, "people"), label: text.toLocation }}
        />
      )}
      {cluster && <ClusterShares cluster={cluster} />}
    </Access>
  );
}

/** The people who have access to a document. */
export default function DocumentPeople({ documentId }: { documentId: string }) {
  const text = PEOPLE;
  const loaded = useLoaded(`people ${documentId}`, () => readPlaces(documentId));
  useTitle(loaded.data === undefined ? text.title : text.ofDocument(loaded.data.document.fileName));
  return (
    <Opened
      loaded={loaded}
      failed={text.failed}
      loading={text.loading}
      gone={{ title: VIEWER.gone, help: VIEWER.goneHelp }}
    >
      {(places) => (
        <>
          <header class="page-head">
            <div class="grow">
              <p class="small">
                <a class="backlink" href={documentPath(documentId)}>
                  {places.document.fileName}
                </a>
              </p>
              <h1>{text.ofDocument(places.document.fileName)}</h1>
              <p>{text.ofDocumentHelp}</p>
            </div>
          </header>
          <DocumentAccess {...places} />
        </>
      )}
    </Opened>
  );
}
