import type { LiveDelivery } from "../platform/live";
import { allShards, shardOf } from "./shards";

type Bindings = Pick<Cloudflare.Env, "HUB_SHARD" | "HUB_LOCATION">;

/** Live delivery through the hub's objects. */
export const openLiveDelivery = ({ HUB_SHARD, HUB_LOCATION }: Bindings): LiveDelivery => ({
  publish: (locationId, events) => HUB_LOCATION.getByName(locationId).publish(events),
  async notify(notifications) {
    const shards = Map.groupBy(notifications, ({ userId }) => shardOf(userId));
    await Promise.all([...shards].map(([shard, theirs]) => HUB_SHARD.getByName(shard).notify(theirs)));
  },
  async recheckUsers(userIds) {
    const shards = Map.groupBy(userIds, shardOf);
    await Promise.all([...shards].map(([shard, ids]) => HUB_SHARD.getByName(shard).recheckUsers(ids)));
  },
  async recheckLocations(locationIds) {
    await Promise.all(allShards().map((shard) => HUB_SHARD.getByName(shard).recheckLocations(locationIds)));
  },
});
