import { MAX_WARNINGS, PROTOTYPES } from "./scripts";

/** The attribute of a link that has the number of its target's page. */
const PAGE = "data-target-page";
/** The number until the pages are known, and a text that no stylesheet writes, to find the links that show it. */
const [UNKNOWN, MARK] = ["00", "page of the target"];

/**
 * A comment or a string of CSS, else a `target-counter` that is filled in, else a part of CSS for paged media that is
 * not. Each alternative consumes what it has looked at, so that a stylesheet is read once.
 */
const CSS = String.raw`/\/\*[^]*?(?:\*\/|$)|"[^"\\\n]*(?:\\[^][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[^][^'\\\n]*)*'?|(?<![\w-])(?:(target-counter\(\s*attr\(\s*href(?:\s+url)?\s*\)\s*,\s*page\s*(?:,\s*decimal\s*)?\))|(?:(target-counters?|target-text|string|element|running|leader)\(|(string-set|bookmark-label|bookmark-level|footnote-display|footnote-policy)\s*:|(float\s*:\s*footnote)\b))/gi`;

/** Characters of the form of a caption's number. */
const MAX_FORM = 100;
/** What a link says whose target has no number. */
const NO_NUMBER = "This link has no number, because its target is no figure or table with a caption. Correct the link.";

/** Names in a stylesheet for which it is read. */
const PAGED = String.raw`/target-|string|element\(|running\(|leader\(|bookmark-|footnote/i`;

/**
 * Prepares the numbers of figures, tables and pages. Visible captions with words are numbered by kind, in their order:
 * `data-number-figures` and `data-number-tables` write the number into each caption, and links of the class
 * `report-number` get the number of their target. The first element with `data-list-of` "figure" or "table" gets a list
 * of links to the captions of that kind. In the stylesheets, `target-counter(attr(href), page)` becomes the value of an
 * attribute of the link. It runs before anything is measured.
 * @returns (as JSON) the number of visible links that show a page number, and the `PrintWarning`s: links without a
 *   number, and CSS for paged media without effect.
 */
export const REFERENCES = `(() => {
  ${PROTOTYPES}
  const root = rootOf(document);
  const create = method(Document, "createElement");
  const append = method(Element, "append");
  const byId = method(Document, "getElementById");
  const warnings = [];
  globalThis.references = [];
  let given = 0;
  const idOf = (element, kind) => {
    const own = attribute(element, "id");
    if (own) return own;
    let id;
    do id = "report-" + kind + "-" + ++given;
    while (byId(document, id) !== null);
    setAttribute(element, "id", id);
    return id;
  };
  const isVisible = method(Element, "checkVisibility");
  const hash = getter(HTMLAnchorElement, "hash");
  const words = (element) => text(element).replace(/\\s+/g, " ").trim();
  const links = [...findAll(root, "a[href]")].filter((link) => link instanceof HTMLAnchorElement && attribute(link, "href").trim().startsWith("#"));
  const numbers = new Map();
  const kinds = [["figure", "figure>figcaption", "data-number-figures"], ["table", "table>caption", "data-number-tables"]];
  for (const [kind, selector, numbered] of kinds) {
    const captions = [...findAll(root, selector)].filter((caption) => isVisible(caption) && words(caption) !== "");
    const holder = find(root, "[" + numbered + "]");
    const form = holder === null ? "" : attribute(holder, numbered).slice(0, ${MAX_FORM});
    captions.forEach((caption, at) => {
      numbers.set(parentOf(caption), String(at + 1));
      if (form === "") return;
      // The direction of a caption follows its own words, not those of its number.
      const number = create(document, "bdi");
      setAttribute(number, "class", "report-caption-number");
      append(number, form.replaceAll("#", () => String(at + 1)));
      method(Element, "prepend")(caption, number);
    });
    const place = find(root, '[data-list-of="' + kind + '"]');
    if (place === null || captions.length === 0) continue;
    const list = create(document, "ol");
    setAttribute(list, "class", "report-list-of");
    for (const caption of captions) {
      const [item, link] = [create(document, "li"), create(document, "a")];
      setAttribute(link, "href", "#" + encodeURIComponent(idOf(parentOf(caption), kind).toWellFormed()));
      setAttribute(link, "dir", "auto");
      append(link, words(caption));
      append(item, link);
      append(list, item);
      links.push(link);
    }
    append(place, list);
  }
  const idIn = (link) => {
    try {
      return decodeURIComponent(hash(link).slice(1));
    } catch {
      return hash(link).slice(1);
    }
  };
  // The target is the figure or table itself, something in it, or something around it.
  const numberOf = (link) => {
    const target = byId(document, idIn(link));
    if (target === null) return undefined;
    for (let around = target; around !== null; around = parentOf(around)) if (numbers.has(around)) return numbers.get(around);
    return numbers.get([...findAll(target, "figure, table")].find((one) => numbers.has(one)));
  };
  for (const link of links) {
    if (!closest(link, "a.report-number")) continue;
    const number = numberOf(link);
    if (number === undefined && isVisible(link) && warnings.length < ${MAX_WARNINGS})
      warnings.push({ code: "link-without-target", at: quote(text(link)) || quote(attribute(link, "href")), detail: "${NO_NUMBER}" });
    append(link, number ?? "?");
  }
  let hasCounter = false;
  const names = new Set();
  for (const sheet of findAll(root, "style")) {
    const css = text(sheet);
    if (!${PAGED}.test(css)) continue;
    const written = css.replace(${CSS}, (token, counter, notation, property, float) => {
      if (counter) return "attr(${PAGE})";
      const name = notation ? notation + "()" : property ?? (float && "float: footnote");
      if (name) names.add(name.toLowerCase());
      return token;
    });
    if (written === css) continue;
    hasCounter = true;
    sheet.textContent = written;
  }
  for (const name of names)
    warnings.push({ code: "css-without-effect", at: name, detail: "The browser that prints does not know this part of CSS for paged media, and leaves out the declaration with it." });
  if (!hasCounter) return JSON.stringify({ links: 0, warnings });
  for (const link of links) setAttribute(link, "${PAGE}", "${MARK}");
  const shows = (link) => ["::before", "::after"].some((part) => getComputedStyle(link, part).content.includes("${MARK}"));
  globalThis.references = links.filter((link) => isVisible(link) && shows(link)).map((link) => ({ link, name: hash(link).slice(1) }));
  for (const link of links) setAttribute(link, "${PAGE}", "${UNKNOWN}");
  return JSON.stringify({ links: globalThis.references.length, warnings });
})`;

/** Hides the page and keeps its layout, so that it is printed fast. `SHOW` takes it back. Both return 0. */
export const HIDE = `(() => {
  ${PROTOTYPES}
  const style = styleOf(rootOf(document));
  globalThis.shown = [style.getPropertyValue("visibility"), style.getPropertyPriority("visibility")];
  style.setProperty("visibility", "hidden", "important");
  return 0;
})`;

export const SHOW = `(() => {
  ${PROTOTYPES}
  styleOf(rootOf(document)).setProperty("visibility", ...globalThis.shown);
  return 0;
})`;

/**
 * Compares the numbers that the links of the page show with `pages`, the pages by fragment, and unless `isLast` writes those that
 * differ. The number of a link without a target is "?".
 * @returns (as JSON) the first words of links whose number differs, and of links without a target.
 */
export const NUMBER = `((pages, isLast) => {
  ${PROTOTYPES}
  const pageOf = new Map(pages);
  const [moved, lost] = [[], []];
  const note = (list, link) => { if (list.length < ${MAX_WARNINGS}) list.push(quote(text(link)) || quote(attribute(link, "href"))); };
  for (const { link, name } of globalThis.references) {
    const number = pageOf.has(name) ? String(pageOf.get(name)) : "?";
    if (number === "?") note(lost, link);
    if (attribute(link, "${PAGE}") === number) continue;
    note(moved, link);
    if (!isLast) setAttribute(link, "${PAGE}", number);
  }
  return JSON.stringify({ moved, lost });
})`;
