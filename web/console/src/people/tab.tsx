import { dataOf } from "../../../../client/src/index.ts";
import { useLoaded } from "../../../ui/loading.ts";
import type { TabProps } from "../platform/lazy.tsx";
import { api } from "../platform/session.ts";
import { Access } from "./access.tsx";
import { ClusterShares } from "./shares.tsx";

/** The people who have access to a location. */
export default function PeopleTab({ location }: TabProps) {
  const { id, clusterId, organizationId, capabilities } = location;
  // A guest of only the location does not see its cluster.
  const cluster = useLoaded(clusterId, () =>
    dataOf(api.GET("/v1/spatial/clusters/{clusterId}", { params: { path: { clusterId } } })).catch(() => null),
  ).data;
  return (
    <Access
      of={{ kind: "location", id, levels: capabilities }}
      organizationId={organizationId}
      within={[["cluster", clusterId]]}
    >
      {cluster && <ClusterShares cluster={cluster} />}
    </Access>
  );
}
