import { toUtc } from "../platform/time";
import type { Hit } from "./ranking/rank";
import { RESULT_TYPE_OF } from "./reach";
import type { SearchResult } from "./schemas";
import { type Matcher, snippetOf } from "./snippet";

/** The lowercase type word, a colon and an identifier; of a passage, its document and place in it. */
export function resultIdOf(hit: Pick<Hit, "type" | "resource">, chunkIndex: number | null): string {
  const id = hit.type === "text" ? `${hit.resource}.${chunkIndex ?? 0}` : hit.resource;
  return `${RESULT_TYPE_OF[hit.type].toLowerCase()}:${id}`;
}

/** A hit as the wire shows it. */
export function presentHit(hit: Hit, rankPosition: number, matcher: Matcher): SearchResult {
  const { detail } = hit;
  return {
    resultId: resultIdOf(hit, detail.source?.chunkIndex ?? null),
    resultType: RESULT_TYPE_OF[hit.type],
    rankPosition,
    score: hit.score,
    title: detail.title,
    subtitle: detail.subtitle,
    snippet: detail.text === null ? null : snippetOf(detail.text, matcher),
    source: detail.source,
    organizationId: detail.organizationId,
    clusterId: detail.clusterId,
    locationId: detail.locationId,
    updatedAtUtc: toUtc(detail.updatedAt),
  };
}
