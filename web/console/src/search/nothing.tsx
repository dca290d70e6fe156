import { SEARCH } from "#texts/search.ts";
import { TRASH } from "../../../../src/platform/paths.ts";
import { Calmly } from "../../../ui/notice.tsx";
import type { Asked } from "./asked.ts";
import { usePlaceName } from "./narrowing.tsx";

/** The term without quotation marks and without excluded words. */
const plain = (term: string): string =>
  term
    .replace(/["“”„«»]/g, " ")
    .replace(/(?<!\S)-\S+/g, " ")
    .replace(/\s+/g, " ")
    .trim();

/** The page for a search without results: the scope of the search, and advice. */
export function NothingFound({ asked, go }: { asked: Asked; go: (change: Partial<Asked>) => void }) {
  const { term, kind, place, asTyped } = asked;
  const words = plain(term);
  const what = kind === null ? SEARCH.everything : SEARCH.kindChoices[kind];
  return (
    <Calmly icon="search" title={SEARCH.nothing(term)} help={SEARCH.searched(what, usePlaceName(place))}>
      <p class="small">{SEARCH.otherWords}</p>
      <div class="row wrap">
        {asTyped && (
          <button type="button" class="btn" onClick={() => go({ asTyped: false })}>
            {SEARCH.withCorrection}
          </button>
        )}
        {words !== term && words !== "" && (
          <button type="button" class="btn" onClick={() => go({ term: words })}>
            {SEARCH.insteadFor(words)}
          </button>
        )}
        {kind !== null && (
          <button type="button" class="btn" onClick={() => go({ kind: null })}>
            {SEARCH.everyKind}
          </button>
        )}
        {place !== "" && (
          <button type="button" class="btn" onClick={() => go({ place: "" })}>
            {SEARCH.everywhere}
          </button>
        )}
        <a class="btn" href={TRASH}>
          {SEARCH.trash}
        </a>
      </div>
    </Calmly>
  );
}
