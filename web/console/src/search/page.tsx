import "./search.css";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { SearchResponse } from "../../../../client/src/index.ts";
import { COMMON } from "../../../texts/common.ts";
import { SEARCH } from "../../../texts/search.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, Calmly, Waiting } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { address, navigate, searchPath } from "../router.ts";
import { TopField } from "../shell.tsx";
import { organization } from "../workspace.ts";
import { HitBody, movedBy, openHit, search, TYPING_RESTS_MS } from "./hits.tsx";

const PAGE_SIZE = 20;

/** One list of everything that was found, best first; the field and the list are worked from the keyboard. */
export default function SearchPage() {
  const { searchParams } = address.value;
  const term = (searchParams.get("q") ?? "").trim();
  const here = organization.value;
  const onlyHere = searchParams.get("in") === "here" && here !== null;
  const organizationId = onlyHere ? here.id : null;
  const field = useRef<HTMLInputElement | null>(null);
  const showField = useCallback((element: HTMLInputElement | null) => {
    field.current = element;
    element?.focus();
  }, []);
  const [typed, setTyped] = useState(term);
  const [at, setAt] = useState(0);
  const key = JSON.stringify([term, organizationId]);
  const [more, setMore] = useState<{ key: string; pages: SearchResponse[] }>({ key, pages: [] });
  const first = useLoaded(key, () =>
    term === "" ? Promise.resolve(null) : search(term, { organizationId, limit: PAGE_SIZE }),
  );

  useTitle(term === "" ? SEARCH.label : term);
  useEffect(() => setAt(0), [key]);
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(term);
  }, [term]);
  useEffect(() => {
    if (typed.trim() === term) return;
    const timer = setTimeout(() => go(typed.trim(), onlyHere), TYPING_RESTS_MS);
    return () => clearTimeout(timer);
  });

  const go = (next: string, narrowed: boolean) =>
    navigate(`${searchPath(next)}${narrowed ? "&in=here" : ""}`, { replace: true });
  const pages = first.data ? [first.data, ...(more.key === key ? more.pages : [])] : [];
  const rows = pages.flatMap((page) => page.results.map((hit) => ({ hit, searchId: page.searchId })));
  const cursor = pages.at(-1)?.nextCursor ?? null;
  const showMore = async () => {
    if (cursor === null) return;
    const page = await search(term, { organizationId, limit: PAGE_SIZE, cursor });
    setMore((before) => ({ key, pages: [...(before.key === key ? before.pages : []), page] }));
  };
  const chosen = Math.min(at, Math.max(rows.length - 1, 0));
  const open = (n: number) => {
    const row = rows[n];
    if (row) openHit(row.searchId, row.hit);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const next = movedBy(event.key, chosen, rows.length);
    if (next !== null) setAt(next);
    else if (event.key === "Enter" && typed.trim() === term) open(chosen);
    else if (event.key === "Enter") go(typed.trim(), onlyHere);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`hit-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const input = (
    <label class="bigfield">
      <Icon name="search" />
      <span class="sr">{SEARCH.label}</span>
      <input
        ref={showField}
        role="combobox"
        aria-expanded={rows.length > 0}
        aria-controls="hits"
        aria-activedescendant={rows.length > 0 ? `hit-${chosen}` : undefined}
        placeholder={SEARCH.placeholder}
        autocomplete="off"
        maxLength={400}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
  return (
    <>
      <TopField>{input}</TopField>
      <section class="results page" aria-label={SEARCH.label}>
        <h1 class="sr">{SEARCH.label}</h1>
        {here !== null && (
          <fieldset class="filters">
            <legend class="sr">{SEARCH.where}</legend>
            <button type="button" class="chip" aria-pressed={!onlyHere} onClick={() => go(term, false)}>
              {SEARCH.anywhere}
            </button>
            <button type="button" class="chip" aria-pressed={onlyHere} onClick={() => go(term, true)}>
              {SEARCH.here(here.name)}
            </button>
          </fieldset>
        )}
        {first.data?.correctedTerm && <p class="small">{SEARCH.corrected(first.data.correctedTerm)}</p>}
        <p class="small muted nums" role="status">
          {rows.length > 0 && SEARCH.found(rows.length, cursor !== null)}
        </p>
        {first.error !== undefined && <Alert title={SEARCH.failed} error={first.error} onRetry={first.reload} />}
        {term === "" && <Calmly icon="search" title={SEARCH.empty} help={SEARCH.emptyHelp} />}
        {first.slow && first.data === undefined && <Waiting text={COMMON.loading} />}
        {term !== "" && first.data && rows.length === 0 && (
          <Calmly icon="search" title={SEARCH.nothing(term)} help={SEARCH.nothingHelp}>
            {onlyHere && (
              <button type="button" class="btn" onClick={() => go(term, false)}>
                {SEARCH.everywhere}
              </button>
            )}
          </Calmly>
        )}
        {rows.length > 0 && (
          <div id="hits" class="hits" role="listbox" aria-label={SEARCH.results}>
            {rows.map(({ hit }, n) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys of the list
              <div
                key={hit.resultId}
                id={`hit-${n}`}
                class="hit"
                role="option"
                tabIndex={-1}
                aria-selected={n === chosen}
                onClick={() => open(n)}
              >
                <HitBody hit={hit} />
              </div>
            ))}
          </div>
        )}
        {cursor !== null && (
          <p>
            <button type="button" class="btn" onClick={showMore}>
              {COMMON.showMore}
            </button>
          </p>
        )}
      </section>
    </>
  );
}
