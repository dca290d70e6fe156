import { useState } from "preact/hooks";
import { VIEWER } from "#texts/viewer.ts";
import { Choice } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { comparable, readTargets, type Target } from "./targets.ts";

/** What the client sends as the folder of a document, from what a person has written. */
export const folderOf = (written: string): string => written.trim().replace(/^\/+|\/+$/g, "");

/** More locations than this are searched; fewer are a list. */
const MAX_LISTED = 8;
/** Locations of a search that are shown. A search for more letters finds the others. */
const MAX_FOUND = 50;

/** The locations whose name or group has all words of a search. */
function found(targets: readonly Target[], asked: string): Target[] {
  const words = comparable(asked)
    .split(/\s+/)
    .filter((word) => word !== "");
  return targets.filter((one) => words.every((word) => one.words.includes(word)));
}

/** The search for a location: its own location is first, and the chosen one stays. */
function TargetSearch(props: {
  targets: readonly Target[];
  own: string;
  chosen: string;
  choose: (id: string) => void;
}) {
  const { targets, own, chosen, choose } = props;
  const text = VIEWER;
  const [asked, setAsked] = useState("");
  const matches = found(targets, asked);
  const others = matches.filter(({ id }) => id !== own);
  const first = others.slice(0, MAX_FOUND);
  // One list in one order, so that the focus stays on the location that is chosen.
  const stays = targets.filter(({ id }) => id === chosen && id !== own && !first.some((one) => one.id === id));
  const shown = [...targets.filter(({ id }) => id === own), ...stays, ...first];
  const left = others.length - first.length;
  const option = ({ id, name, cluster }: Target) => (
    <label key={id} class="place-option">
      <input type="radio" name="location" value={id} checked={id === chosen} onChange={() => choose(id)} />
      <span class="grow">
        <span class="strong">{name}</span>
        <span class="small muted">{id === own ? text.here : cluster}</span>
      </span>
    </label>
  );
  return (
    <fieldset class="stack place-choice">
      <legend class="label">{text.location}</legend>
      <input
        class="input"
        type="search"
        aria-label={text.findLocation}
        placeholder={text.findLocation}
        value={asked}
        autocomplete="off"
        onInput={(event) => setAsked(event.currentTarget.value)}
        // Enter here searches; it does not move anything yet.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
      <div class="place-options">{shown.map(option)}</div>
      <p class="small muted" role="status">
        {others.length === 0 ? text.noLocation : left > 0 ? text.moreLocations(left) : ""}
      </p>
    </fieldset>
  );
}

/**
 * The choice of another location of the workspace; it is not shown where there is one location.
 * `change` is what a request for documents says of it, and `to` the other location: null for the own one.
 */
export function useLocationChoice({
  organizationId,
  locationId,
}: {
  organizationId: string | null;
  locationId: string;
}) {
  const [chosen, setChosen] = useState(locationId);
  const read = useLoaded(`targets ${organizationId}`, () => readTargets(organizationId));
  const targets = read.data;
  const moves = chosen !== locationId;
  const to = (moves && targets?.find(({ id }) => id === chosen)) || null;
  const field = (() => {
    if (read.error !== undefined)
      return <Alert title={VIEWER.locationsFailed} error={read.error} onRetry={read.reload} />;
    if (targets === undefined) return read.slow ? <Waiting text={VIEWER.locationsLoading} /> : null;
    if (targets.length < 2) return null;
    if (targets.length > MAX_LISTED)
      return <TargetSearch targets={targets} own={locationId} chosen={chosen} choose={setChosen} />;
    return (
      <Choice
        label={VIEWER.location}
        name="location"
        options={targets.map(({ id: value, name: label }) => ({ value, label }))}
        value={chosen}
        onChange={setChosen}
      />
    );
  })();
  return { field, change: moves && { locationId: chosen }, to };
}
