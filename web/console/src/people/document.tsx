import { dataOf, ProblemError } from "../../../../client/src/index.ts";
import { PEOPLE } from "../../../texts/people.ts";
import { VIEWER } from "../../../texts/viewer.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { Gone } from "../gone.tsx";
import { documentPath, tabPath } from "../router.ts";
import { api } from "../session.ts";
import { ByRole, organizationOf, useMayShare } from "./by-role.tsx";
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

function Access({ document, location, cluster }: Places) {
  const text = PEOPLE;
  const { id, organizationId, capabilities } = document;
  const organization = organizationOf(organizationId);
  const shares = useMayShare(organizationId, [
    ["document", id],
    ["location", document.locationId],
    ["cluster", document.clusterId],
  ]);
  return (
    <div class="stack people">
      <Shares
        title={text.direct.document}
        of={{ kind: "document", id, levels: capabilities }}
        editable={capabilities.Documents === "Write" && shares}
      />
      {location && (
        <Shares
          title={text.byLocation(location.name)}
          of={{ kind: "location", id: location.id, levels: location.capabilities }}
          editable={false}
          changedAt={{ href: tabPath(location.id, "people"), label: text.toLocation }}
        />
      )}
      {cluster && <ClusterShares cluster={cluster} />}
      {organization && <ByRole organization={organization} />}
    </div>
  );
}

/**
 * The people who have access to a document, with the reason: a share of the document, of its location or its cluster,
 * or a role.
 */
export default function DocumentPeople({ documentId }: { documentId: string }) {
  const text = PEOPLE;
  const { data, error, slow, reload } = useLoaded(`people ${documentId}`, () => readPlaces(documentId));
  useTitle(data === undefined ? text.title : text.ofDocument(data.document.fileName));
  if (error instanceof ProblemError && error.status === 404) return <Gone title={VIEWER.gone} help={VIEWER.goneHelp} />;
  if (error !== undefined) return <Alert title={text.failed} error={error} onRetry={reload} />;
  if (data === undefined) return slow ? <Waiting text={text.loading} /> : null;
  return (
    <>
      <header class="page-head">
        <div class="grow">
          <p class="small">
            <a class="backlink" href={documentPath(documentId)}>
              {data.document.fileName}
            </a>
          </p>
          <h1>{text.ofDocument(data.document.fileName)}</h1>
          <p>{text.ofDocumentHelp}</p>
        </div>
      </header>
      <Access {...data} />
    </>
  );
}
