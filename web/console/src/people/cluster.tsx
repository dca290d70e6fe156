import { useState } from "preact/hooks";
import { CLUSTER } from "#texts/people.ts";
import { type Cluster, dataOf } from "../../../../client/src/index.ts";
import { clusterPath, HOME } from "../../../../src/platform/paths.ts";
import { BusyButton } from "../../../ui/buttons.tsx";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Area, Field, Form } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { say, sayFailed } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import type { ViewProps } from "../platform/lazy.tsx";
import { Opened } from "../platform/opened.tsx";
import { navigate } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { Access } from "./access.tsx";

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
      sayFailed(text.restoreFailed, thrown, undo);
    }
  };
  try {
    await dataOf(api.DELETE("/v1/spatial/clusters/{clusterId}", params(id)));
    navigate(HOME);
    say(text.removed(name), undo);
  } catch (thrown) {
    sayFailed(text.removeFailed, thrown);
  }
}

function Head({ cluster, reload }: { cluster: Cluster; reload: () => void }) {
  const text = CLUSTER;
  const [editing, setEditing] = useState(false);
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
          <BusyButton onPress={() => remove(cluster)}>
            <Icon name="trash" />
            {text.remove}
          </BusyButton>
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
  const loaded = useLoaded(`cluster ${clusterId}`, () =>
    dataOf(api.GET("/v1/spatial/clusters/{clusterId}", params(clusterId))),
  );
  useTitle(loaded.data?.name ?? text.kind);
  return (
    <Opened
      loaded={loaded}
      failed={text.failed}
      loading={text.loading}
      gone={{ heading: text.kind, title: text.gone, help: text.goneHelp }}
    >
      {(cluster) => (
        <>
          <Head cluster={cluster} reload={loaded.reload} />
          <Access
            of={{ kind: "cluster", id: cluster.id, levels: cluster.capabilities }}
            organizationId={cluster.organizationId}
            within={[]}
          />
        </>
      )}
    </Opened>
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
