/** Shard objects that connections are spread over by their user; it may grow, since tokens name their shard. */
export const HUB_SHARDS = 8;

export const allShards = (): string[] => Array.from({ length: HUB_SHARDS }, (_, n) => `shard-${n}`);

/** The shard of a user's connections: FNV-1a over the id, so that one user's are together. */
export function shardOf(userId: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193) >>> 0;
  return `shard-${hash % HUB_SHARDS}`;
}
