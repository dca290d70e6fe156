import { useState } from "preact/hooks";
import { type Cluster, dataOf, ProblemError } from "../../../../client/src/index.ts";
import { CLUSTER, PEOPLE } from "../../../texts/people.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Area, Field, Form } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, messageOf, say, Waiting } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { Gone } from "../gone.tsx";
import type { ViewProps } from "../lazy.tsx";
import { clusterPath, HOME, navigate } from "../router.ts";
import { api } from "../session.ts";
import { ByRole, organizationOf, useMayShare } from "./by-role.tsx";
import { Shares } from "./shares.tsx";

const params = (clusterId: string) => ({ params: { path: { clusterId } } });

function Edit({ cluster, onDone, onClose }: { cluster: Cluster; onDone: () => void; onClose: () => void }) {
  const text = CLUSTER;
  return (
    <Dialog title={text.editTitle} onClose={onClose}>
      <Form
        send={text.save}
        failed={text.saveFailed}
        onSend={async (value) => {
          const body = { name: value("name"), description: value("description"), baseRevision: cluster.revision };
          await dataOf(api.PATCH("/v1/spatial/clusters/{clusterId}", { ...params(cluster.id), body }));
          say(text.saved);
          onDone();
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field label={text.name} name="name" defaultValue={cluster.name} required maxLength={200} autofocus />
        <Area label={text.description} name="description" defaultValue={cluster.description} maxLength={4000} />
      </Form>
    </Dialog>
  );
}

/** Deletes a cluster with its locations, and offers to undo that. */
async function remove({ id, name }: Cluster): Promise<void> {
  const text = CLUSTER;
  const undo = async () => {
    try {
      await dataOf(api.POST("/v1/spatial/clusters/{clusterId}/restore", params(id)));
      navigate(clusterPath(id));
      say(text.restored(name));
    } catch (thrown) {
      say(`${text.restoreFailed}: ${messageOf(thrown)}`);
    }
  };
  try {
    await dataOf(api.DELETE("/v1/spatial/clusters/{clusterId}", params(id)));
    navigate(HOME);
    say(text.removed(name), undo);
  } catch (thrown) {
    say(`${text.removeFailed}: ${messageOf(thrown)}`);
  }
}

function Head({ cluster, reload }: { cluster: Cluster; reload: () => void }) {
  const text = CLUSTER;
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  return (
    <header class="page-head">
      <div class="grow">
        <p class="small">
          <a class="backlink" href={HOME}>
            {text.back}
          </a>
          <span class="muted"> › {text.kind}</span>
        </p>
        <h1>{cluster.name}</h1>
        {cluster.description !== "" && <p>{cluster.description}</p>}
      </div>
      {cluster.capabilities.ClusterView === "Write" && (
        <div class="row wrap">
          <button type="button" class="btn" onClick={() => setEditing(true)}>
            {text.edit}
          </button>
          <button
            type="button"
            class="btn"
            disabled={removing}
            onClick={() => {
              setRemoving(true);
              remove(cluster).finally(() => setRemoving(false));
            }}
          >
            <Icon name="trash" />
            {text.remove}
          </button>
        </div>
      )}
      {editing && (
        <Edit
          cluster={cluster}
          onDone={() => {
            setEditing(false);
            reload();
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </header>
  );
}

function ClusterView({ clusterId }: { clusterId: string }) {
  const text = CLUSTER;
  const { data, error, slow, reload } = useLoaded(`cluster ${clusterId}`, () =>
    dataOf(api.GET("/v1/spatial/clusters/{clusterId}", params(clusterId))),
  );
  useTitle(data?.name ?? text.kind);
  if (error instanceof ProblemError && error.status === 404)
    return <Gone heading={text.kind} title={text.gone} help={text.goneHelp} />;
  if (error !== undefined) return <Alert title={text.failed} error={error} onRetry={reload} />;
  if (data === undefined) return slow ? <Waiting text={text.loading} /> : null;
  return (
    <>
      <Head cluster={data} reload={reload} />
      <People cluster={data} />
    </>
  );
}

function People({ cluster: { id, organizationId, capabilities } }: { cluster: Cluster }) {
  const organization = organizationOf(organizationId);
  const shares = useMayShare(organizationId, [["cluster", id]]);
  return (
    <div class="stack people">
      <Shares
        title={PEOPLE.direct.cluster}
        of={{ kind: "cluster", id, levels: capabilities }}
        editable={capabilities.ClusterView === "Write" && shares}
      />
      {organization && <ByRole organization={organization} />}
    </div>
  );
}

/** A cluster: its name and description, and the people who have access to it. */
export default function ClusterPage({ path: [clusterId = ""] }: ViewProps) {
  return (
    <div class="page">
      <ClusterView key={clusterId} clusterId={clusterId} />
    </div>
  );
}
