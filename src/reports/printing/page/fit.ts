import { MAX_WARNINGS, PAPER, PROTOTYPES } from "./scripts";

/** The head of the scripts. */
export const BEGIN = `${PROTOTYPES}
  const root = rootOf(document);
  const warnings = [];
  const body = find(root, "body");
  if (body === null) return JSON.stringify(warnings);
  ${PAPER}
  const isFlowing = (element) => {
    for (let at = parentOf(element); at !== null; at = parentOf(at)) {
      const { display, position, float, columnCount } = getComputedStyle(at);
      if (!/^(block|flow-root)$/.test(display) || float !== "none" || columnCount !== "auto" || /absolute|fixed/.test(position)) return false;
    }
    return true;
  };`;

/**
 * Gives the root element the width of the paper until `UNPIN`, so that the page is laid out once for all scripts between them. It runs inside
 * the browser that prints the page.
 * @returns (as JSON) no warnings.
 */
export const PIN = `(() => {
  ${BEGIN}
  remove(probe);
  const style = styleOf(root);
  globalThis.pinned = [style.getPropertyValue("width"), style.getPropertyPriority("width")];
  if (general.across > 0) style.setProperty("width", general.across + "px", "important");
  return "[]";
})`;

/** Takes back the width of `PIN`. @returns (as JSON) no warnings. */
export const UNPIN = `(() => {
  ${PROTOTYPES}
  const [width, priority] = globalThis.pinned ?? ["", ""];
  delete globalThis.pinned;
  styleOf(rootOf(document)).setProperty("width", width, priority);
  return "[]";
})`;

/** Smallest scale for a table on portrait paper; a table that needs less gets a landscape page. */
const MIN_PORTRAIT_SCALE = 0.8;
/** Smallest scale without a warning. */
const MIN_LEGIBLE_SCALE = 0.5;
/** A word that is too wide may break between letters from this length, characters. Numbers are never so long. */
const MIN_BREAKABLE_WORD_LENGTH = 30;

/**
 * Fits long words and tables that are wider than the paper: each table is scaled down, or moved to a landscape page when
 * it would become too small. No table is cut. It sets `--page-height` to the height of the paper, `--page-room` to the
 * height between its margins, and `data-paper` of the root element to its orientation. It runs inside the browser that
 * prints the page.
 * @returns (as JSON) the `PrintWarning`s: tables that became very small.
 */
export const FIT = `(() => {
  ${BEGIN}
  remove(probe);
  const { width, height, across: paper } = general;
  if (!(paper > 0)) return JSON.stringify(warnings);
  root.style.setProperty("--page-height", height + "px");
  root.style.setProperty("--page-room", Math.max(1, general.down) + "px");
  setAttribute(root, "data-paper", width > height ? "landscape" : "portrait");
  for (const section of findAll(body, "[data-orientation]")) {
    const own = paperOf(nameOfPage(section));
    styleOf(section).setProperty("--page-height", own.height + "px");
    styleOf(section).setProperty("--page-room", Math.max(1, own.down) + "px");
  }
  const outer = [...findAll(body, "table")].filter((table) => closest(parentOf(table), "table") === null);
  const takeBack = layAsPrinted(outer.filter(isWithinNamed));
  const scrollWidth = getter(Element, "scrollWidth");
  // A table that is laid out as a block hides its overflow.
  const widthOf = (table) => Math.max(box(table).width, getComputedStyle(table).display.includes("table") ? 0 : scrollWidth(table));
  const roomOf = (element) => {
    const { paddingLeft, paddingRight, borderLeftWidth, borderRightWidth } = getComputedStyle(parentOf(element));
    const around = [paddingLeft, paddingRight, borderLeftWidth, borderRightWidth].reduce((sum, side) => sum + parseFloat(side), 0);
    const name = nameOfPage(element);
    const across = name === "" ? paper : paperOf(name).across;
    if (name !== "" && pageOf(element).holder === element) return across;
    return Math.min(box(parentOf(element)).width - around, across);
  };
  const isWide = (table) => widthOf(table) > roomOf(table) + 1;
  const hasLongWord = (element) => text(element).split(/\\s+/).some((word) => word.length >= ${MIN_BREAKABLE_WORD_LENGTH});
  // A long word makes the box around it as wide as itself in a grid, a row of boxes or a narrow frame.
  const walk = method(Document, "createTreeWalker")(document, body, NodeFilter.SHOW_TEXT);
  const long = new Set();
  const range = document.createRange();
  const [start, end] = [box(root).left, box(root).right];
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    if (!hasLongWord(node) || closest(parentOf(node), "td,th,caption,svg,math,style") !== null) continue;
    range.selectNodeContents(node);
    const { left, right } = range.getBoundingClientRect();
    if (right > end + 1 || left < start - 1) long.add(parentOf(node));
  }
  for (const element of long) styleOf(element).overflowWrap = "anywhere";
  const wide = outer.filter(isWide);
  for (const table of wide)
    for (const cell of findAll(table, "td,th,caption")) if (hasLongWord(cell)) styleOf(cell).overflowWrap = "anywhere";
  // All tables are measured before one is changed, so the page is laid out only once for all.
  const turned = height - width;
  const fitted = wide.filter(isWide).map((table) => {
    const room = roomOf(table) - 1;
    const needed = widthOf(table);
    const goesAcross = room / needed < ${MIN_PORTRAIT_SCALE} && turned > 0 && nameOfPage(table) === "" && isFlowing(table);
    return { table, goesAcross, scale: Math.min(1, Math.floor(((room + (goesAcross ? turned : 0)) / needed) * 1000) / 1000) };
  });
  for (const { table, goesAcross, scale } of fitted) {
    if (goesAcross) {
      const sheet = create(document, "div");
      styleOf(sheet).page = "report-across";
      method(Element, "replaceWith")(table, sheet);
      append(sheet, table);
      // The headings before the table go with it. Otherwise the previous page would end with them.
      const before = getter(Element, "previousElementSibling");
      for (let heading = before(sheet); heading !== null && /^H[1-6]$/.test(heading.tagName); heading = before(sheet))
        method(Element, "prepend")(sheet, heading);
    }
    if (scale < 1) styleOf(table).zoom = String(scale);
    if (scale >= ${MIN_LEGIBLE_SCALE} || warnings.length >= ${MAX_WARNINGS}) continue;
    const cells = [...findAll(table, "td,th")].slice(0, 8);
    const detail = "The table is printed at " + Math.round(scale * 100) + " % of its size. Use fewer columns or split it.";
    warnings.push({ code: "table-very-small", at: quote(cells.map(text).join(" ")), detail });
  }
  takeBack();
  if (fitted.some(({ goesAcross }) => goesAcross)) {
    const sheet = create(document, "style");
    sheet.textContent = "@page report-across { size: " + height + "px " + width + "px }";
    append(find(root, "head") ?? root, sheet);
  }
  return JSON.stringify(warnings);
})`;

/** The part of a page's height that a picture may always have, beside its caption and its heading. */
const MIN_SHARE = 0.4;
/** Elements that are examined to find the end of the first page. */
const MAX_BEFORE_BREAK = 5_000;

/**
 * Makes each picture smaller that is larger than its page, so that the printer cuts none: it fits between the margins
 * with its caption and the headings above it, and keeps its proportions. It runs after the tables are fitted.
 * @returns (as JSON) the `PrintWarning`s: the pictures that were made smaller.
 */
export const PICTURES = `(() => {
  ${BEGIN}
  const [first, ofNames] = [paperOf("", true), new Map([["", general]])];
  const pictures = [...findAll(body, "img,svg,canvas,input[type=image]")].filter((picture) => closest(parentOf(picture), "svg") === null);
  for (const { name } of pictures.map(pageOf)) if (!ofNames.has(name)) ofNames.set(name, paperOf(name));
  remove(probe);
  if (!(general.across > 0 && general.down > 0)) return JSON.stringify(warnings);
  const takeBack = layAsPrinted(pictures);
  const start = box(root);
  const before = getter(Element, "previousElementSibling");
  const sibling = getter(Node, "previousSibling");
  const isHeading = (element) => element !== null && /^h[1-6]$/.test(getter(Element, "localName")(element));
  const wordsBefore = (element) => {
    for (let at = sibling(element); at !== null && !(at instanceof Element); at = sibling(at))
      if (at instanceof Text && text(at).trim() !== "") return true;
    return false;
  };
  // The end of the first page: the end of its paper, or the first forced break.
  let endOfFirst;
  const findEnd = () => {
    const end = start.top + first.down;
    const forced = /^(page|left|right|recto|verso|always)$/;
    for (const element of [...findAll(body, "*")].slice(0, ${MAX_BEFORE_BREAK})) {
      const at = box(element);
      if (at.top >= end) return end;
      const { breakBefore, breakAfter } = getComputedStyle(element);
      if (forced.test(breakBefore) || pageOf(element).name !== "") return at.top;
      if (forced.test(breakAfter) && at.bottom < end) return at.bottom;
    }
    return end;
  };
  // The height of what stays on one page with a picture: its caption, its row, the heads of its table, and its headings.
  const keptWith = (picture, size, down) => {
    const isInline = (element) => getComputedStyle(element).display.startsWith("inline");
    let block = picture;
    // The lines around a picture within text.
    if (isInline(picture)) {
      let around = parentOf(picture);
      while (around !== body && isInline(around)) around = parentOf(around);
      if (around !== body && box(around).height - size.height <= down * (1 - ${MIN_SHARE})) block = around;
    }
    for (let at = parentOf(picture); at !== null && at !== body; at = parentOf(at)) {
      if (getComputedStyle(at).breakInside !== "avoid") continue;
      if (box(at).height - size.height > down * (1 - ${MIN_SHARE})) break;
      block = at;
    }
    const bottom = box(block).bottom;
    let top = box(block).top;
    let margin = 0;
    let [heading, isInFirstRow] = [null, false];
    for (let at = block, headings = 0; at !== null && at !== body && headings < 4 && !wordsBefore(at); ) {
      const previous = before(at);
      if (previous === null) {
        at = parentOf(at);
        if (at === null || top - box(at).top > down * (1 - ${MIN_SHARE})) break;
        top = Math.min(top, box(at).top);
      } else if (/^(thead|caption|colgroup)$/.test(getter(Element, "localName")(previous))) {
        top = Math.min(top, box(previous).top);
        at = previous;
        isInFirstRow = true;
      } else if (isHeading(previous)) {
        top = box(previous).top;
        margin = parseFloat(getComputedStyle(previous).marginTop) || 0;
        heading ??= previous;
        at = previous;
        headings += 1;
      } else break;
    }
    const table = closest(picture, "table");
    const rows = table === null ? [] : findAll(table, "tbody>tr");
    const below = rows.length === 0 ? 0 : box(table).bottom - box(rows[rows.length - 1]).bottom;
    const above = rows.length === 0 || isInFirstRow ? 0 : box(rows[0]).top - box(table).top;
    // The line of a picture within text reaches below it.
    const { fontSize, lineHeight } = getComputedStyle(parentOf(picture));
    const line = block === picture && isInline(picture) ? (parseFloat(lineHeight) || parseFloat(fontSize) * 1.2) / 2 : 0;
    return { heading, height: Math.max(0, bottom - top - size.height) + margin + above + below + line };
  };
  // A box around a picture that hides its overflow shows only a part of it.
  const shown = (picture) => {
    const { width, height, left, right, top, bottom } = box(picture);
    let [down, end] = [height, right];
    for (let at = parentOf(picture); at !== null && at !== body; at = parentOf(at)) {
      const { overflowX, overflowY } = getComputedStyle(at);
      if (overflowY !== "visible") down = Math.min(down, box(at).height);
      if (overflowX !== "visible") end = Math.min(end, box(at).right);
    }
    return { width: Math.min(width, end - left), height: down, left, top, bottom };
  };
  const measured = pictures.map((picture) => {
    const { position, width, height } = getComputedStyle(picture);
    const [wide, high] = [parseFloat(width), parseFloat(height)];
    const size = shown(picture);
    if (position === "fixed" || !(wide > 0 && high > 0 && size.width > 0 && size.height > 0)) return null;
    const { name } = pageOf(picture);
    const paper = ofNames.get(name);
    const isLoose = position === "absolute";
    let down = isLoose ? paper.height : paper.down;
    const isLarge = size.height > down * ${MIN_SHARE / 2};
    let [heading, rest] = [null, 0];
    if (isLarge && name === "" && size.bottom <= start.top + first.down + 1) {
      endOfFirst ??= findEnd();
      if (size.bottom <= endOfFirst + 1) down = Infinity;
    }
    if (isLarge && !isLoose && down < Infinity) {
      const kept = keptWith(picture, size, down);
      heading = kept.heading;
      rest = Math.min(kept.height + 2, down * (1 - ${MIN_SHARE}));
    }
    // The frame and the padding of the picture keep their sizes.
    const frame = Math.max(0, box(picture).height - high);
    const byHeight = size.height <= down - rest + 1 ? 1 : Math.max(0.01, (down - rest - frame) / Math.max(1, box(picture).height - frame));
    const across = down === Infinity ? Math.max(first.across, paper.across) : isLoose ? paper.width : paper.across;
    const left = Math.max(0, size.left - start.left);
    const room = left < across / 2 ? across - left : across;
    const byWidth = size.width <= room + 1 ? 1 : Math.max(0.01, room / size.width);
    const factor = Math.min(byHeight, byWidth);
    return factor < 1 ? { picture, factor, wide, high, heading, isTall: byHeight <= byWidth } : null;
  });
  const nameOf = (picture, heading) => {
    const title = find(picture, "title");
    const caption = closest(picture, "figure") && find(closest(picture, "figure"), "figcaption");
    const said = [attribute(picture, "alt"), attribute(picture, "aria-label"), title && text(title), caption && text(caption), text(picture), heading && text(heading)];
    return quote(said.find((words) => (words ?? "").trim() !== "") ?? "");
  };
  for (const { picture, factor, wide, high, heading, isTall } of measured.filter(Boolean)) {
    const [width, height] = [wide * factor, high * factor];
    if (picture instanceof SVGElement && !attribute(picture, "viewBox")) setAttribute(picture, "viewBox", "0 0 " + wide + " " + high);
    const set = { width: width + "px", height: height + "px", "min-width": "0", "min-height": "0", "max-width": "none", "max-height": "none", "box-sizing": "content-box", flex: "none" };
    for (const [property, value] of Object.entries(set)) styleOf(picture).setProperty(property, value, "important");
    const what = isTall ? "The picture is taller than the page" : "The picture is wider than the paper";
    if (warnings.length < ${MAX_WARNINGS})
      warnings.push({ code: isTall ? "too-tall" : "too-wide", at: nameOf(picture, heading), detail: what + " and is printed at " + Math.round(factor * 100) + " % of its size. Make it smaller." });
  }
  takeBack();
  return JSON.stringify(warnings);
})`;

/** The longest words of a text that are measured to find the word that is too wide. */
const MAX_MEASURED_WORDS = 50;

/**
 * Finds what still does not fit the paper: elements and words that are wider, and elements that are taller than a page
 * and that the printer cuts anywhere. It runs after tables and pictures are fitted, and changes nothing.
 * @returns (as JSON) one `PrintWarning` for each, without those inside of another.
 */
export const BEYOND = `(() => {
  ${BEGIN}
  const { left, width, down } = general;
  const leftOfFirst = paperOf("", true).left;
  // The parts of a drawing are named by the drawing.
  const PICTURES = "img,svg,canvas,input[type=image]";
  const elements = [...findAll(body, "*")].filter((element) => closest(parentOf(element), "svg") === null);
  const ofNames = new Map();
  for (const name of elements.map(nameOfPage)) if (name !== "" && !ofNames.has(name)) ofNames.set(name, paperOf(name));
  remove(probe);
  if (!(general.across > 0)) return JSON.stringify(warnings);
  const takeBack = layAsPrinted(elements.filter(isWithinNamed));
  const contains = method(Node, "contains");
  const warn = (code, at, detail) => {
    if (warnings.length < ${MAX_WARNINGS}) warnings.push({ code, at: quote(at), detail });
  };
  // The first page can have other margins.
  const start = box(root).left;
  const excess = (element, at) => {
    const own = ofNames.get(nameOfPage(element));
    const margin = own?.left ?? (at.top < general.height ? leftOfFirst : left);
    return Math.max(at.right - (start + (own?.width ?? width) - margin), start - margin - at.left);
  };
  const downOf = (element) => ofNames.get(nameOfPage(element))?.down ?? down;
  const isElsewhere = (element) => closest(element, "[style*=report-across]") !== null;
  const isPicture = method(Element, "matches");
  const isEmpty = (element) => text(element).trim() === "" && find(element, PICTURES) === null;
  const groups = [];
  let tall = null;
  for (const element of elements) {
    const at = box(element);
    if (at.width === 0 || at.height === 0) continue;
    if (down > 0 && at.height > downOf(element) + 1 && !isPicture(element, PICTURES) && (tall === null || !contains(tall, element)) && !isElsewhere(element)) {
      const { display, overflowY, backgroundImage, writingMode } = getComputedStyle(element);
      const isWhole = /^inline-./.test(display) || /auto|scroll/.test(overflowY) || writingMode !== "horizontal-tb";
      const isDrawn = (backgroundImage.includes("url(") && element !== body) || isEmpty(element);
      if ((isWhole || isDrawn)) {
        tall = element;
        warn("too-tall", text(element), "This element is taller than the page, and the end of a page may cut through it. Make it lower, or divide it.");
      }
    }
    const over = excess(element, at);
    if (over <= 1 || isElsewhere(element)) continue;
    const group = groups.at(-1);
    if (group === undefined || !contains(group.outer, element)) groups.push({ outer: element, inner: element, over });
    else if (over > group.over + 1 || (over > group.over - 1 && contains(group.inner, element))) Object.assign(group, { inner: element, over });
  }
  for (const { outer, inner } of groups) {
    const cells = [...findAll(outer, "td,th")].slice(0, 8);
    const said = [cells.map(text).join(" "), text(inner), text(outer)].find((words) => words.trim() !== "") ?? "";
    warn("too-wide", said, "This element is wider than the paper, and a part of it may be cut. Make it narrower.");
  }
  // Words reach beyond an element that is not too wide itself.
  const walk = method(Document, "createTreeWalker")(document, body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const boxOf = (node, from, to) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect();
  };
  for (let node = walk.nextNode(); node !== null && warnings.length < ${MAX_WARNINGS}; node = walk.nextNode()) {
    const words = text(node);
    const element = parentOf(node);
    if (words.trim() === "" || closest(element, "svg,style") !== null) continue;
    const whole = boxOf(node, 0, words.length);
    if (whole.width === 0 || excess(element, whole) <= 1 || isElsewhere(element) || groups.some(({ outer }) => contains(outer, element))) continue;
    let hides = false;
    for (let at = element; at !== null && at !== body; at = parentOf(at)) hides ||= getComputedStyle(at).overflowX !== "visible";
    if (hides) continue;
    const longest = [...words.matchAll(/\\S+/g)].sort((one, other) => other[0].length - one[0].length).slice(0, ${MAX_MEASURED_WORDS});
    const word = longest.find(({ 0: found, index }) => excess(element, boxOf(node, index, index + found.length)) > 1);
    warn("too-wide", word?.[0] ?? words, "This word is wider than the paper, and its end may be cut. Divide it, or let it break with overflow-wrap.");
  }
  takeBack();
  return JSON.stringify(warnings);
})`;
