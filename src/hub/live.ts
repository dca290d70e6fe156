import { currentOrigin } from "../platform/log";
import { reach } from "../platform/outages";
import type { LiveDelivery } from "../platform/ports";

type Bindings = Pick<Cloudflare.Env, "HUB_SHARD" | "HUB_LOCATION">;

/** Live delivery through the hub's Durable Objects. Their log lines have the origin of the work that delivers. */
export const openLiveDelivery = ({ HUB_SHARD, HUB_LOCATION }: Bindings): LiveDelivery => ({
  publish: (locationId, events) =>
    reach("durable object", () => HUB_LOCATION.getByName(locationId).publish(events, currentOrigin())),
  changes: (locationId, credential, since, limit) =>
    reach("durable object", () => HUB_LOCATION.getByName(locationId).changes(credential, since, limit)),
  async notify(notifications) {
    const shards = Map.groupBy(notifications, ({ userId }) => shardOf(userId));
    await Promise.all(
      [...shards].map(([shard, theirs]) =>
        reach("durable object", () => HUB_SHARD.getByName(shard).notify(theirs, currentOrigin())),
      ),
    );
  },
  async recheckUsers(userIds) {
    const shards = Map.groupBy(userIds, shardOf);
    await Promise.all(
      [...shards].map(([shard, ids]) =>
        reach("durable object", () => HUB_SHARD.getByName(shard).recheckUsers(ids, currentOrigin())),
      ),
    );
  },
  async recheckLocations(locationIds) {
    await Promise.all(
      allShards().map((shard) =>
        reach("durable object", () => HUB_SHARD.getByName(shard).recheckLocations(locationIds, currentOrigin())),
      ),
    );
  },
});

/** Number of shards that users' connections are spread over. It may grow, because tokens name their shard. */
const HUB_SHARDS = 8;

export const allShards = (): string[] => Array.from({ length: HUB_SHARDS }, (_, n) => `shard-${n}`);

/** The shard of a user's connections, by FNV-1a of the id: all connections of one user are together. */
export function shardOf(userId: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193) >>> 0;
  return `shard-${hash % HUB_SHARDS}`;
}
