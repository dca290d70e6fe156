import "./search.css";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { SEARCH } from "#texts/search.ts";
import type { Suggestion } from "../../../../client/src/index.ts";
import { stepOf } from "../../../ui/direction.ts";
import { Icon } from "../../../ui/icon.tsx";
import { More } from "../../../ui/more.tsx";
import { Alert, Calmly, Waiting } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { report, reportReformulated } from "../platform/interactions.ts";
import { address, navigate } from "../platform/router.ts";
import { TopField } from "../platform/top-field.ts";
import { type Asked, askedIn, askedPath, TYPING_RESTS_MS } from "./asked.ts";
import { HitBody, iconOf, movedBy, PassageBody } from "./hits.tsx";
import { type Line, openLine } from "./lines.ts";
import { Narrowing } from "./narrowing.tsx";
import { NothingFound } from "./nothing.tsx";
import { Preview } from "./preview.tsx";
import { type Group, useResults } from "./results.ts";
import { useSuggestions } from "./suggestions.ts";

/** Minimum width at which a result is shown beside the list. */
const WIDE = matchMedia("(min-width: 1001px)");

function useWide(): boolean {
  const [wide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const change = () => setWide(WIDE.matches);
    WIDE.addEventListener("change", change);
    return () => WIDE.removeEventListener("change", change);
  }, []);
  return wide;
}

/** A row that the arrow keys select: a suggestion, a result or passage, or the rest of a document's passages. */
type Row =
  | { id: string; kind: "suggestion"; suggestion: Suggestion }
  | { id: string; kind: "line"; line: Line; group: Group }
  | { id: string; kind: "rest"; group: Group };

const rowsOf = (suggestions: readonly Suggestion[], groups: readonly Group[]): Row[] => [
  ...suggestions.map((suggestion): Row => ({ id: `suggestion ${suggestion.text}`, kind: "suggestion", suggestion })),
  ...groups.flatMap((group): Row[] => [
    ...group.lines.map((line): Row => ({ id: line.resultId, kind: "line", line, group })),
    ...(group.left > 0 ? [{ id: `rest ${group.hit.resultId}`, kind: "rest" as const, group }] : []),
  ]),
];

/** Whether one term continues the other, as during typing or after a completed suggestion. */
const isTyping = (before: string, next: string): boolean => next.startsWith(before) || before.startsWith(next);

/** The list of all results, best first. The keyboard controls the field and the list. */
export default function SearchPage() {
  const asked = askedIn(address.value);
  const { term, open } = asked;
  const wide = useWide();
  const field = useRef<HTMLInputElement | null>(null);
  const showField = useCallback((element: HTMLInputElement | null) => {
    field.current = element;
    element?.focus();
  }, []);
  const [typed, setTyped] = useState(term);
  const [suggestFor, setSuggestFor] = useState("");
  const [chosenId, setChosenId] = useState<string | null>(null);
  const { loaded, first, groups, cursor, showMore, expand, isStale } = useResults(asked);
  const suggestions = useSuggestions(suggestFor).filter(({ text }) => text !== typed.trim());
  const rows = rowsOf(suggestFor === "" ? [] : suggestions, groups);
  /** The search whose results the person opened. */
  const helped = useRef<string | null>(null);

  useTitle(term === "" ? SEARCH.label : term);
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(term);
  }, [term]);
  useEffect(() => {
    if (typed.trim() === term) return;
    const timer = setTimeout(() => go({ term: typed.trim() }, true), TYPING_RESTS_MS);
    return () => clearTimeout(timer);
  });

  /** Changes the search. During typing, the current entry of the history changes. */
  const go = (change: Partial<Asked>, replace = false) => {
    const isNew = change.term !== undefined && change.term !== term;
    const isOther = isNew && !isTyping(term, change.term ?? "");
    if (isOther && first !== null && helped.current !== first.searchId)
      reportReformulated(first.searchId, change.term ?? "");
    if (!("open" in change)) setChosenId(null);
    if (!replace) {
      setSuggestFor("");
      setTyped(change.term ?? term);
    }
    navigate(askedPath({ ...asked, ...(isNew && { asTyped: false }), open: null, ...change }), { replace });
  };
  const lineAt = (id: string | null) => rows.find((row) => row.id === id && row.kind === "line");
  const firstLine = rows.findIndex(({ kind }) => kind === "line");
  const chosenAt = rows.findIndex(({ id }) => id === (chosenId ?? open));
  const chosen = chosenAt === -1 ? Math.max(firstLine, 0) : chosenAt;
  const shown = wide ? lineAt(open) : undefined;

  const preview = (line: Line) => {
    setChosenId(line.resultId);
    go({ open: line.resultId }, open !== null);
  };
  const choose = (n: number) => {
    const row = rows[n];
    if (row === undefined) return;
    setChosenId(row.id);
    if (row.kind === "line" && open !== null && wide) preview(row.line);
  };
  const act = (n: number) => {
    const row = rows[n];
    if (row?.kind === "suggestion") go({ term: row.suggestion.text });
    if (row?.kind === "rest") void expand(row.group).then(setChosenId);
    if (row?.kind !== "line") return;
    helped.current = row.line.reported.searchId;
    openLine(row.line);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const input = field.current;
    const row = rows[chosen];
    const next = movedBy(event.key, chosen, rows.length);
    const isAtEnd = input?.selectionStart === input?.value.length && input?.selectionEnd === input?.value.length;
    if (next !== null) choose(next);
    else if (event.key === "Enter" && typed.trim() !== term) go({ term: typed.trim() });
    else if (event.key === "Enter" && !isStale) act(chosen);
    else if (stepOf(event.key) === 1 && isAtEnd && wide && row?.kind === "line") preview(row.line);
    else if (event.key === "Escape" && open !== null) go({ open: null }, true);
    else return;
    event.preventDefault();
  };
  const onClick = (n: number) => {
    const row = rows[n];
    // A person who selects text to copy it does not click.
    if (getSelection()?.isCollapsed === false) return;
    if (row?.kind === "line" && shown !== undefined && row.id !== open) preview(row.line);
    else act(n);
  };
  useEffect(() => {
    document.getElementById(`hit-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen, rows.length]);
  const previewed = shown?.kind === "line" ? shown : null;
  useEffect(() => {
    if (previewed === null) return;
    helped.current = previewed.line.reported.searchId;
    report(previewed.line.reported, "PreviewOpen");
  }, [previewed?.id]);
  const onCopy = () => {
    const row = rows[Number(getSelection()?.anchorNode?.parentElement?.closest("[role=option]")?.id.slice(4))];
    if (row?.kind === "line") report(row.line.reported, "SnippetCopy");
  };

  const option = (n: number) => ({
    id: `hit-${n}`,
    role: "option" as const,
    tabIndex: -1,
    "aria-selected": n === chosen,
    onClick: () => onClick(n),
  });
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
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setSuggestFor(event.currentTarget.value.trim());
        }}
        onKeyDown={onKeyDown}
      />
    </label>
  );
  let at = 0;
  return (
    <div class={previewed === null ? "searching" : "searching split"}>
      <TopField>{input}</TopField>
      <section class="results" aria-label={SEARCH.label} aria-busy={isStale}>
        <h1 class="sr">{SEARCH.label}</h1>
        {term !== "" && <Narrowing asked={asked} hits={groups.map(({ hit }) => hit)} go={go} />}
        {first?.correctedTerm && (
          <p class="small">
            {SEARCH.correctedBefore} <b class="strong">{first.correctedTerm.trim()}</b>. {SEARCH.insteadBefore}{" "}
            <button type="button" class="link" onClick={() => go({ asTyped: true })}>
              {term}
            </button>
          </p>
        )}
        <p class="small muted nums" role="status">
          {first !== null && first.total.count > 0 && SEARCH.found(first.total)}
        </p>
        {loaded.error !== undefined && <Alert title={SEARCH.failed} error={loaded.error} onRetry={loaded.reload} />}
        {term === "" && <Calmly icon="search" title={SEARCH.empty} help={SEARCH.emptyHelp} />}
        {loaded.slow && first === null && <Waiting text={SEARCH.loading} />}
        {rows.length > 0 && (
          <div id="hits" class="hits" role="listbox" aria-label={SEARCH.results} onCopy={onCopy}>
            {suggestFor !== "" && suggestions.length > 0 && (
              // biome-ignore lint/a11y/useSemanticElements: a group of options in a list
              <div role="group" class="suggestions" aria-label={SEARCH.suggestions}>
                {suggestions.map(({ text, resultType }) => (
                  <div key={text} {...option(at++)} class="chip">
                    <Icon name={iconOf(resultType)} />
                    <span class="cut">{text}</span>
                  </div>
                ))}
              </div>
            )}
            {groups.map(({ hit, lines: [head, ...rest], left }) => (
              // biome-ignore lint/a11y/useSemanticElements: a group of options in a list
              <div key={head.resultId} role="group" class="found" aria-label={hit.title}>
                <div {...option(at++)} class="hit">
                  <HitBody hit={hit} />
                </div>
                {rest.map((line) => (
                  <div key={line.resultId} {...option(at++)} class="hit further">
                    <PassageBody line={line} />
                  </div>
                ))}
                {left > 0 && (
                  <div {...option(at++)} class="hit further rest">
                    {SEARCH.morePassages(left)}
                  </div>
                )}
              </div>
            ))}
          </div>
        )}
        {term !== "" && !isStale && first?.results.length === 0 && <NothingFound asked={asked} go={go} />}
        <More more={cursor !== null ? showMore : null} />
        {groups.length > 0 && wide && (
          <p class="xs muted keys">
            <kbd>↑</kbd> <kbd>↓</kbd> {SEARCH.keys.move} <kbd>{COMMON.keys.enter}</kbd> {SEARCH.keys.open} <kbd>→</kbd>{" "}
            {SEARCH.keys.preview}
          </p>
        )}
      </section>
      {previewed !== null && (
        <Preview
          line={previewed.line}
          lines={previewed.group.lines}
          onLine={preview}
          onClose={() => {
            go({ open: null }, true);
            field.current?.focus();
          }}
        />
      )}
    </div>
  );
}
