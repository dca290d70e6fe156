import { escapeHtml } from "../templating/render";
import type { Heading } from "./markdown";

/** Levels of headings that contents show, counted from the highest that the body uses. */
const LEVELS = 2;
/** Headings from which contents are worth their place, and the most they show. */
const FEWEST = 5;
const MOST = 80;

/** A list of links to the body's headings; empty for a short body. */
export function contentsOf(headings: readonly Heading[]): string {
  const top = Math.min(...headings.map(({ level }) => level));
  const shown = headings.filter(({ level, text }) => level < top + LEVELS && text !== "").slice(0, MOST);
  if (shown.length < FEWEST) return "";
  const items = shown.map(
    ({ level, id, text }) =>
      `<li class="contents-level-${level - top + 1}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<ol class="report-contents">${items.join("")}</ol>`;
}
