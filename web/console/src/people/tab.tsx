import { dataOf } from "../../../../client/src/index.ts";
import { PEOPLE } from "../../../texts/people.ts";
import { useLoaded } from "../../../ui/loading.ts";
import type { TabProps } from "../lazy.tsx";
import { api } from "../session.ts";
import { ByRole, organizationOf, useMayShare } from "./by-role.tsx";
import { ClusterShares, Shares } from "./shares.tsx";

/**
 * The people who have access to a location, with the reason: a share of the location, a share of its cluster, or a
 * role.
 */
export default function PeopleTab({ location }: TabProps) {
  const { id, clusterId, organizationId, capabilities } = location;
  // A guest of only the location does not see its cluster.
  const cluster = useLoaded(clusterId, () =>
    dataOf(api.GET("/v1/spatial/clusters/{clusterId}", { params: { path: { clusterId } } })).catch(() => null),
  ).data;
  const organization = organizationOf(organizationId);
  const writes = capabilities.LocationView === "Write";
  const shares = useMayShare(organizationId, [
    ["location", id],
    ["cluster", clusterId],
  ]);
  return (
    <div class="stack people">
      <Shares
        title={PEOPLE.direct.location}
        of={{ kind: "location", id, levels: capabilities }}
        editable={writes && shares}
      />
      {cluster && <ClusterShares cluster={cluster} />}
      {organization && <ByRole organization={organization} />}
    </div>
  );
}
