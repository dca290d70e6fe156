import { IMAGE_QUALITY } from "../../limits";

/** Most warnings of each script. */
const MAX_WARNINGS = 20;
/** The largest edge that a page may ask a picture to be scaled to, pixels. */
const MAX_SCALED_EDGE = 4_000;

/**
 * Elements that are removed from a printed page because they load, run, nest or move something. The page's policy and
 * the blocked network refuse their requests as well.
 */
const UNWANTED =
  "script,base,link,meta,iframe,frame,frameset,object,embed,applet,portal,fencedframe,param,audio,video,source,track," +
  "bgsound,template,animate,animatecolor,animatemotion,animatetransform,set,discard,handler,listener";

/** Attributes with a URL. They are removed unless it is a `data:` picture, a fragment of this page, or a link. */
const ADDRESSES =
  "src,href,xlink:href,poster,data,background,action,formaction,cite,longdesc,lowsrc,dynsrc,codebase,classid,archive," +
  "profile,usemap,icon,manifest,xml:base";

/** Attributes that are always removed. `loading` would delay a picture until a scroll that never happens. */
const UNWANTED_ATTRIBUTES =
  "srcset,imagesrcset,srcdoc,ping,target,download,attributionsrc,http-equiv,nonce,loading,fetchpriority,is,autofocus," +
  "referrerpolicy,crossorigin,popover";

/**
 * Reads a page only through the prototypes: an element with the name of a property would hide that property of its
 * form or document. Each script below begins with it.
 */
const PROTOTYPES = `
  const descriptor = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name);
  const getter = (type, name) => { const { get } = descriptor(type, name); return (node) => get.call(node); };
  const method = (type, name) => { const { value } = descriptor(type, name); return (node, ...given) => value.apply(node, given); };
  const rootOf = getter(Document, "documentElement");
  const find = method(Element, "querySelector");
  const findAll = method(Element, "querySelectorAll");
  const setAttribute = method(Element, "setAttribute");
  const remove = method(Element, "remove");
  const box = method(Element, "getBoundingClientRect");
  const text = getter(Node, "textContent");
`;

/**
 * Replaces the empty page with the parsed report. It runs inside the browser while the page's own scripts are
 * disabled. The page is parsed in a document that loads nothing and cleaned before it is shown. The same parser
 * parses and shows it. Pictures with `data-scale-to` are scaled to that edge, pixels.
 * @returns (as JSON) the `PrintWarning`s: pictures that could not be scaled, because their files are damaged.
 */
export const ARRANGE = `(async (title, language) => {
  ${PROTOTYPES}
  const localName = getter(Element, "localName");
  const attributeNames = method(Element, "getAttributeNames");
  const attribute = method(Element, "getAttribute");
  const removeAttribute = method(Element, "removeAttribute");
  const unwanted = new Set(${JSON.stringify(UNWANTED)}.split(","));
  const unwantedAttributes = new Set(${JSON.stringify(UNWANTED_ATTRIBUTES)}.split(","));
  const addresses = new Set(${JSON.stringify(ADDRESSES)}.split(","));
  const fits = (element, value) => {
    const address = value.trim();
    if (/^#/.test(address) || /^data:image\\//i.test(address)) return true;
    return /^(a|area)$/i.test(localName(element)) && /^(https?|mailto|tel):/i.test(address);
  };
  const clean = (element) => {
    for (const name of attributeNames(element)) {
      const low = name.toLowerCase();
      const goes = low.startsWith("on") || unwantedAttributes.has(low) ||
        (addresses.has(low) && !fits(element, attribute(element, name)));
      if (goes) removeAttribute(element, name);
    }
  };
  const page = new DOMParser().parseFromString(globalThis.pieces.join(""), "text/html");
  delete globalThis.pieces;
  const html = rootOf(page);
  const walk = method(Document, "createTreeWalker")(page, html, NodeFilter.SHOW_ELEMENT);
  const gone = [];
  clean(html);
  for (let element = walk.nextNode(); element !== null; element = walk.nextNode())
    unwanted.has(localName(element).toLowerCase()) ? gone.push(element) : clean(element);
  gone.forEach((element) => remove(element));
  const paper = document.createElement("style");
  paper.textContent = "@page { size: A4 }";
  (find(html, "head") ?? html).prepend(paper);
  if (!(attribute(html, "lang") ?? "").trim()) setAttribute(html, "lang", language);
  const head = find(html, "head");
  const named = head === null ? null : find(head, "title");
  if (named === null || text(named).trim() === "") {
    if (named !== null) remove(named);
    const own = document.createElement("title");
    own.textContent = title;
    (head ?? html).append(own);
  }
  // Only the picture is tagged as a figure: otherwise a screen reader would read it twice, once without text.
  const framed = findAll(html, "figure:has(img, [role=img]):not([role])");
  [...framed].forEach((figure) => setAttribute(figure, "role", "group"));
  const empty = document.documentElement;
  empty.replaceWith(document.adoptNode(html));
  const decode = method(HTMLImageElement, "decode");
  const warnings = [];
  for (const picture of findAll(html, "img[data-scale-to]")) {
    const edge = Math.min(${MAX_SCALED_EDGE}, Math.max(1, Number(attribute(picture, "data-scale-to")) || 1));
    removeAttribute(picture, "data-scale-to");
    try {
      await decode(picture);
      const [wide, high] = ["naturalWidth", "naturalHeight"].map((name) => getter(HTMLImageElement, name)(picture));
      const factor = Math.min(1, edge / Math.max(wide, high));
      const [width, height] = [wide, high].map((side) => Math.max(1, Math.round(side * factor)));
      const canvas = method(Document, "createElement")(document, "canvas");
      [canvas.width, canvas.height] = [width, height];
      const pen = canvas.getContext("2d", { alpha: false });
      pen.fillStyle = "#fff";
      pen.fillRect(0, 0, width, height);
      pen.imageSmoothingQuality = "high";
      pen.drawImage(picture, 0, 0, width, height);
      setAttribute(picture, "src", canvas.toDataURL("image/jpeg", ${IMAGE_QUALITY / 100}));
      setAttribute(picture, "width", width);
      setAttribute(picture, "height", height);
    } catch {
      const name = (attribute(picture, "alt") ?? "").slice(0, 60).toWellFormed();
      const lost = method(Document, "createElement")(document, "span");
      setAttribute(lost, "class", "report-missing");
      lost.textContent = name;
      method(Element, "replaceWith")(picture, lost);
      if (warnings.length < ${MAX_WARNINGS})
        warnings.push({ code: "picture-damaged", at: name, detail: "The file of the picture is damaged. Upload it again." });
    }
  }
  const pictures = [...findAll(html, "img")].filter((picture) => attribute(picture, "src"));
  // Backgrounds and fonts begin to load when they are laid out.
  box(html);
  await Promise.allSettled(pictures.map((picture) => decode(picture)));
  await getter(Document, "fonts")(document).ready;
  return JSON.stringify(warnings);
})`;

/** Smallest scale for a table on portrait paper; a table that needs less gets a landscape page. */
const MIN_PORTRAIT_SCALE = 0.8;
/** Smallest scale without a warning. */
const MIN_LEGIBLE_SCALE = 0.5;
/** A cell of a table that is too wide may break words from this length, characters. Numbers are never so long. */
const MIN_BREAKABLE_WORD_LENGTH = 30;

/** Paper sizes with a name in CSS, as CSS lengths. */
const PAPERS = {
  a3: ["297mm", "420mm"],
  a4: ["210mm", "297mm"],
  a5: ["148mm", "210mm"],
  b4: ["250mm", "353mm"],
  b5: ["176mm", "250mm"],
  "jis-b4": ["257mm", "364mm"],
  "jis-b5": ["182mm", "257mm"],
  letter: ["8.5in", "11in"],
  legal: ["8.5in", "14in"],
  ledger: ["11in", "17in"],
};

/**
 * Fits tables that are wider than the paper: each is scaled down, or moved to a landscape page when it would become
 * too small. No table is cut. It sets `--page-height` to the height of the paper, and `data-paper` of the root element
 * to its orientation. It runs inside the browser that prints the page.
 * @returns (as JSON) the `PrintWarning`s: tables that became very small, and elements still wider than the paper.
 */
export const FIT = `(() => {
  const lengths = ${JSON.stringify(PAPERS)};
  ${PROTOTYPES}
  const root = rootOf(document);
  const create = method(Document, "createElement");
  const closest = method(Element, "closest");
  const append = method(Element, "append");
  const parentOf = getter(Node, "parentElement");
  const styleOf = getter(HTMLElement, "style");
  const warnings = [];
  const body = find(root, "body");
  if (body === null) return JSON.stringify(warnings);
  const warn = (code, element, detail) => {
    const cells = [...findAll(element, "td,th")].slice(0, 8);
    const said = (cells.length > 0 ? cells.map(text).join(" ") : text(element)).replace(/\\s+/g, " ").trim().slice(0, 60).toWellFormed();
    if (warnings.length < ${MAX_WARNINGS}) warnings.push({ code, at: said, detail });
  };
  const probe = create(document, "div");
  append(body, probe);
  const pixels = (length) => {
    probe.style.cssText = "all:initial;display:block;position:absolute;visibility:hidden;width:" + length;
    return box(probe).width;
  };
  let [width, height] = lengths.a4.map(pixels);
  // The margins of the browser if no stylesheet sets them.
  const margins = { left: "1cm", right: "1cm" };
  const ofFirst = {};
  const readMargins = (rule, into) => {
    for (const side of ["left", "right"]) {
      const said = rule.style.getPropertyValue("margin-" + side);
      if (said !== "") into[side] = said;
    }
  };
  const isRead = (rule) => !(rule instanceof CSSMediaRule) || matchMedia(rule.conditionText).matches;
  const read = (rules) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule && rule.selectorText === "") {
        const size = rule.style.getPropertyValue("size").toLowerCase().split(" ").filter(Boolean);
        const named = size.find((word) => Object.hasOwn(lengths, word));
        const given = size.filter((word) => /^[\\d.]/.test(word));
        if (named !== undefined) [width, height] = lengths[named].map(pixels);
        else if (given.length > 0) [width, height] = [pixels(given[0]), pixels(given[1] ?? given[0])];
        else if (size.length > 0) [width, height] = lengths.a4.map(pixels);
        if (size.includes("landscape") && width < height) [width, height] = [height, width];
        readMargins(rule, margins);
      } else if (rule instanceof CSSPageRule && rule.selectorText === ":first") {
        readMargins(rule, ofFirst);
      } else if (!(rule instanceof CSSPageRule) && rule.cssRules !== undefined && isRead(rule)) read(rule.cssRules);
    }
  };
  for (const sheet of getter(Document, "styleSheets")(document)) read(sheet.cssRules);
  const left = pixels(margins.left);
  const paper = width - left - pixels(margins.right);
  const leftOfFirst = pixels(ofFirst.left ?? margins.left);
  remove(probe);
  if (!(paper > 0)) return JSON.stringify(warnings);
  root.style.setProperty("--page-height", height + "px");
  setAttribute(root, "data-paper", width > height ? "landscape" : "portrait");
  const before = root.style.cssText;
  root.style.setProperty("width", paper + "px", "important");
  const isFlowing = (element) => {
    for (let at = parentOf(element); at !== null; at = parentOf(at)) {
      const { display, position, float, columnCount } = getComputedStyle(at);
      if (!/^(block|flow-root)$/.test(display) || float !== "none" || columnCount !== "auto" || /absolute|fixed/.test(position)) return false;
    }
    return true;
  };
  // A named page can have another size.
  const isOnNamedPage = (element) => {
    for (let at = element; at !== null; at = parentOf(at)) if (getComputedStyle(at).page !== "auto") return true;
    return false;
  };
  const scrollWidth = getter(Element, "scrollWidth");
  // A table that is laid out as a block hides its overflow.
  const widthOf = (table) => Math.max(box(table).width, getComputedStyle(table).display.includes("table") ? 0 : scrollWidth(table));
  const roomOf = (element) => {
    const { paddingLeft, paddingRight, borderLeftWidth, borderRightWidth } = getComputedStyle(parentOf(element));
    const around = [paddingLeft, paddingRight, borderLeftWidth, borderRightWidth].reduce((sum, side) => sum + parseFloat(side), 0);
    return Math.min(box(parentOf(element)).width - around, paper);
  };
  const isWide = (table) => widthOf(table) > roomOf(table) + 1;
  const outer = [...findAll(body, "table")].filter((table) => closest(parentOf(table), "table") === null && !isOnNamedPage(table));
  const wide = outer.filter(isWide);
  for (const table of wide)
    for (const cell of findAll(table, "td,th"))
      if (text(cell).split(/\\s+/).some((word) => word.length >= ${MIN_BREAKABLE_WORD_LENGTH})) styleOf(cell).overflowWrap = "anywhere";
  // All tables are measured before one is changed, so the page is laid out only once for all.
  const turned = height - width;
  const fitted = wide.filter(isWide).map((table) => {
    const room = roomOf(table) - 1;
    const needed = widthOf(table);
    const goesAcross = room / needed < ${MIN_PORTRAIT_SCALE} && turned > 0 && isFlowing(table);
    return { table, goesAcross, scale: Math.min(1, Math.floor(((room + (goesAcross ? turned : 0)) / needed) * 1000) / 1000) };
  });
  for (const { table, goesAcross, scale } of fitted) {
    if (goesAcross) {
      const sheet = create(document, "div");
      styleOf(sheet).page = "report-across";
      method(Element, "replaceWith")(table, sheet);
      append(sheet, table);
    }
    if (scale < 1) styleOf(table).zoom = String(scale);
    if (scale < ${MIN_LEGIBLE_SCALE})
      warn("table-very-small", table, "The table is printed at " + Math.round(scale * 100) + " % of its size. Use fewer columns or split it.");
  }
  // The innermost elements that reach beyond the edges of the paper. The first page can have other margins.
  const start = box(root).left;
  const isBeyond = (element) => {
    const at = box(element);
    if (at.width === 0 || at.height === 0) return false;
    const margin = at.top < height ? leftOfFirst : left;
    if (at.right <= start + width - margin + 1 && at.left >= start - margin - 1) return false;
    return closest(element, "[style*=report-across]") === null && !isOnNamedPage(element);
  };
  const beyond = [...findAll(body, "*")].filter(isBeyond);
  const holders = new Set(beyond.map(parentOf));
  for (const element of beyond)
    if (!holders.has(element)) warn("too-wide", element, "This element is wider than the paper, and a part of it may be cut. Make it narrower.");
  root.style.cssText = before;
  if (fitted.some(({ goesAcross }) => goesAcross)) {
    const sheet = create(document, "style");
    sheet.textContent = "@page report-across { size: " + height + "px " + width + "px }";
    append(find(root, "head") ?? root, sheet);
  }
  return JSON.stringify(warnings);
})`;

/** Characters of a page that are examined, each once for each family of fonts; the rest counts as drawn. */
const MAX_EXAMINED = 10_000;
/** Characters that one warning names. */
const MAX_NAMED = 8;

/**
 * Finds characters that no font draws: the browser draws the same empty box for each of them. Each character is compared
 * with one that no font has, first its width and then its picture. Characters of the Latin alphabets are not examined,
 * nor are spaces and those without a picture of their own. It runs after the fonts of the page are loaded.
 * @returns (as JSON) `PrintWarning`s: one for each element with characters that were not named before.
 */
export const GLYPHS = `(() => {
  ${PROTOTYPES}
  const body = find(rootOf(document), "body");
  if (body === null) return "[]";
  const EDGE = 32;
  const canvas = method(Document, "createElement")(document, "canvas");
  canvas.width = canvas.height = EDGE;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const pictureOf = (char) => {
    pen.clearRect(0, 0, EDGE, EDGE);
    pen.fillText(char, 4, 24);
    return new Uint32Array(pen.getImageData(0, 0, EDGE, EDGE).data.buffer);
  };
  const isSame = (one, other) => one.every((pixel, at) => pixel === other[at]);
  // Two unused characters for private use. If they look different, a font draws one of them.
  const [NOWHERE, NOWHERE_EITHER] = ["\u{10FFFD}", "\u{10FFFC}"];
  const families = new Map();
  const familyOf = (element) => {
    const name = getComputedStyle(element).fontFamily;
    const known = families.get(name);
    if (known !== undefined) return known;
    pen.font = "16px sans-serif";
    pen.font = "16px " + name;
    const box = pictureOf(NOWHERE);
    const family = { font: pen.font, width: pen.measureText(NOWHERE).width, box, isOpen: isSame(box, pictureOf(NOWHERE_EITHER)), seen: new Set() };
    families.set(name, family);
    return family;
  };
  const isMissing = ({ font, width, box, isOpen }, char) => {
    if (!isOpen) return false;
    if (pen.font !== font) pen.font = font;
    return Math.abs(pen.measureText(char).width - width) < 0.01 && isSame(box, pictureOf(char));
  };
  const isVisible = method(Element, "checkVisibility");
  const parentOf = getter(Node, "parentElement");
  const missing = new Set();
  const warnings = [];
  let examined = 0;
  const walk = method(Document, "createTreeWalker")(document, body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node !== null && examined < ${MAX_EXAMINED} && warnings.length < ${MAX_WARNINGS}; node = walk.nextNode()) {
    const words = text(node);
    if (!/[^\u0000-\u024F]/.test(words)) continue;
    const element = parentOf(node);
    if (!isVisible(element)) continue;
    const family = familyOf(element);
    examined += family.seen.size === 0 ? 1 : 0;
    const found = [];
    for (const char of words) {
      if (char <= "\u024F" || family.seen.has(char)) continue;
      family.seen.add(char);
      if (/[p{Z}p{Cc}p{Cf}p{Cs}p{M}p{Default_Ignorable_Code_Point}]/u.test(char)) continue;
      examined += 1;
      if (examined > ${MAX_EXAMINED}) break;
      if (missing.has(char) || !isMissing(family, char)) continue;
      missing.add(char);
      found.push(char);
    }
    if (found.length === 0) continue;
    const named = found.slice(0, ${MAX_NAMED}).map((char) => char + " (U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + ")").join(", ");
    const more = found.length > ${MAX_NAMED} ? " and " + (found.length - ${MAX_NAMED}) + " more" : "";
    const at = words.replace(/s+/g, " ").trim().slice(0, 60).toWellFormed();
    warnings.push({ code: "missing-glyphs", at, detail: "No font of the machine that prints has " + named + more + ". Write them differently, or add a data: font that has them." });
  }
  return JSON.stringify(warnings);
})`;
