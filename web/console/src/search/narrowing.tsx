import { byName } from "#texts/language.ts";
import { SEARCH } from "#texts/search.ts";
import { dataOf, type SearchResult } from "../../../../client/src/index.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { api } from "../platform/session.ts";
import { organization } from "../platform/workspace.ts";
import { type Asked, KIND_CHOICES, type Place } from "./asked.ts";

interface Choice {
  place: Place;
  name: string;
}

/** The clusters and locations of results, each once, in the order of the results. */
function placesOf(hits: readonly SearchResult[]): Choice[] {
  const names = new Map<Place, string>();
  for (const { clusterId, clusterName, locationId, locationName } of hits) {
    if (clusterName) names.set(`cluster:${clusterId}`, SEARCH.cluster(clusterName));
    if (locationId !== null && locationName) names.set(`location:${locationId}`, locationName);
  }
  return [...names].map(([place, name]) => ({ place, name })).sort((a, b) => byName(a.name, b.name));
}

/** The name of the place in the address; null before it is read, or if it cannot be seen. */
async function nameOf(place: Place): Promise<string | null> {
  const [of, id = ""] = place.split(":");
  if (of === "location") {
    const params = { path: { locationId: id } };
    return (await dataOf(api.GET("/v1/spatial/locations/{locationId}", { params })).catch(() => null))?.name ?? null;
  }
  if (of !== "cluster") return null;
  const params = { path: { clusterId: id } };
  const cluster = await dataOf(api.GET("/v1/spatial/clusters/{clusterId}", { params })).catch(() => null);
  return cluster === null ? null : SEARCH.cluster(cluster.name);
}

/** The name of the place that limits a search. */
export function usePlaceName(place: Place): string {
  const read = useLoaded(place, () => nameOf(place));
  if (place === "here") return organization.value?.name ?? "";
  return place === "" ? SEARCH.anywhere : (read.data ?? SEARCH.thisPlace);
}

/** The filters of a search: a kind of result, and a place. The places are the places of the results. */
export function Narrowing(props: {
  asked: Asked;
  hits: readonly SearchResult[];
  go: (change: Partial<Asked>) => void;
}) {
  const { asked, hits, go } = props;
  const { kind, place } = asked;
  const here = organization.value;
  const chosenName = usePlaceName(place);
  const places = placesOf(hits).filter((choice) => choice.place !== place);
  return (
    <div class="narrowing">
      <fieldset class="filters">
        <legend class="sr">{SEARCH.kind}</legend>
        {[null, ...KIND_CHOICES].map((one) => (
          <button
            key={one}
            type="button"
            class="chip"
            aria-pressed={kind === one}
            onClick={() => go({ kind: one, open: null })}
          >
            {one === null ? SEARCH.allKinds : SEARCH.kindChoices[one]}
          </button>
        ))}
      </fieldset>
      <label class="row">
        <span class="small muted">{SEARCH.where}</span>
        <select
          class="input"
          value={place}
          onChange={(event) => go({ place: event.currentTarget.value as Place, open: null })}
        >
          <option value="">{SEARCH.anywhere}</option>
          {here !== null && <option value="here">{here.name}</option>}
          {place !== "" && place !== "here" && <option value={place}>{chosenName}</option>}
          {places.map((choice) => (
            <option key={choice.place} value={choice.place}>
              {choice.name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
