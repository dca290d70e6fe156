import { IMAGE_QUALITY } from "../../limits";
import { ADDED_FONTS } from "./fonts";

/** Most warnings of each script. */
export const MAX_WARNINGS = 20;

/**
 * Reads a page only through the prototypes: an element with the name of a property would hide that property of its
 * form or document. Each script of this folder begins with it.
 */
export const PROTOTYPES = `
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
  const parentOf = getter(Node, "parentElement");
  const closest = method(Element, "closest");
  const styled = [HTMLElement, SVGElement, MathMLElement];
  const styleOf = (element) => getter(styled.find((type) => element instanceof type) ?? HTMLElement, "style")(element);
  const attribute = method(Element, "getAttribute");
  const quote = (words) => words.replace(/\\s+/g, " ").trim().slice(0, 60).toWellFormed();
`;

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
 * Reads the `@page` rules of a page, for the scripts that measure it; it follows the prototypes and needs `root` and
 * `body`. `paperOf(name)` is the paper of a named page, `paperOf("")` of all others, `paperOf("", true)` of the first
 * one, in pixels: `width` and `height` of the paper, its margins, and the `across` and `down` between them.
 * `pageOf(element)` is the nearest element around it that sets a named page, and that name. `layAsPrinted()` gives the
 * root element and named pages the widths that they are printed with, and returns what takes them back.
 */
export const PAPER = `
  const lengths = ${JSON.stringify(PAPERS)};
  const create = method(Document, "createElement");
  const append = method(Element, "append");
  const probe = create(document, "div");
  append(body, probe);
  const pixels = (length) => {
    probe.style.cssText = "all:initial;display:block;position:absolute;visibility:hidden;width:" + length;
    return box(probe).width;
  };
  const SIDES = ["top", "right", "bottom", "left"];
  const sizeIn = (rule, before) => {
    const size = rule.style.getPropertyValue("size").toLowerCase().split(" ").filter(Boolean);
    const named = size.find((word) => Object.hasOwn(lengths, word));
    const given = size.filter((word) => /^[\\d.]/.test(word));
    let [width, height] = before;
    if (named !== undefined) [width, height] = lengths[named].map(pixels);
    else if (given.length > 0) [width, height] = [pixels(given[0]), pixels(given[1] ?? given[0])];
    else if (size.length > 0) [width, height] = lengths.a4.map(pixels);
    return size.includes("landscape") && width < height ? [height, width] : [width, height];
  };
  // What each selector says: its size, and its margins by side.
  const said = new Map();
  // The margins of the browser if no stylesheet sets them.
  const OWN_MARGINS = Object.fromEntries(SIDES.map((side) => [side, pixels("1cm")]));
  const readPage = (rule) => {
    for (const selector of rule.selectorText.split(",").map((one) => one.trim())) {
      const known = said.get(selector) ?? { size: null, margins: {} };
      if (rule.style.getPropertyValue("size") !== "") known.size = sizeIn(rule, known.size ?? lengths.a4.map(pixels));
      for (const side of SIDES) {
        const margin = rule.style.getPropertyValue("margin-" + side);
        if (margin !== "") known.margins[side] = pixels(margin);
      }
      said.set(selector, known);
    }
  };
  const isRead = (rule) => !(rule instanceof CSSMediaRule) || matchMedia(rule.conditionText).matches;
  const readRules = (rules) => {
    for (const rule of rules)
      if (rule instanceof CSSPageRule) readPage(rule);
      else if (rule.cssRules !== undefined && isRead(rule)) readRules(rule.cssRules);
  };
  for (const sheet of getter(Document, "styleSheets")(document)) readRules(sheet.cssRules);
  const paperOf = (name, isFirst = false) => {
    const [general, own, first] = ["", name, isFirst ? ":first" : name].map((selector) => said.get(selector));
    const [width, height] = own?.size ?? general?.size ?? lengths.a4.map(pixels);
    const margins = { ...OWN_MARGINS, ...general?.margins, ...own?.margins, ...first?.margins };
    // A left and a right page can have other margins: the widest ones count.
    for (const side of SIDES)
      if (!isFirst) margins[side] = Math.max(margins[side], ...[":left", ":right"].map((selector) => said.get(selector)?.margins[side] ?? 0));
    const { top, right, bottom, left } = margins;
    return { width, height, top, right, bottom, left, across: width - left - right, down: height - top - bottom };
  };
  const pages = new Map();
  const pageOf = (element) => {
    const known = pages.get(element);
    if (known !== undefined) return known;
    const { page } = getComputedStyle(element);
    const around = parentOf(element);
    const found = page !== "auto" ? { name: page, holder: element } : around === null ? { name: "", holder: null } : pageOf(around);
    pages.set(element, found);
    return found;
  };
  // Without a rule for a named page, no element needs to be asked.
  const hasNames = [...said.keys()].some((selector) => selector !== "" && !selector.startsWith(":"));
  const nameOfPage = (element) => hasNames ? pageOf(element).name : "";
  // A table that is itself on a named page keeps its width: the page makes room for it.
  const isWithinNamed = (element) => nameOfPage(element) !== "" && !(pageOf(element).holder instanceof HTMLTableElement);
  const general = paperOf("");
  const layAsPrinted = (elements = []) => {
    const changed = [root, ...new Set(elements.map((element) => pageOf(element).holder))].filter(Boolean);
    const before = changed.map((element) => styleOf(element).cssText);
    styleOf(root).setProperty("width", general.across + "px", "important");
    const widths = changed.slice(1).map((holder) => paperOf(pageOf(holder).name).across - general.across + box(holder).width);
    changed.slice(1).forEach((holder, at) => styleOf(holder).setProperty("width", Math.max(1, widths[at]) + "px", "important"));
    return () => changed.forEach((element, at) => { styleOf(element).cssText = before[at]; });
  };
`;

/** The largest edge that a page may ask a picture to be scaled to, pixels. */
const MAX_SCALED_EDGE = 4_000;

/**
 * Elements that are removed from a printed page because they load, run, nest or move something. The page's policy and
 * the blocked network refuse their requests too.
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

/** Parts of a line with a language of their own. */
const SPOKEN = ":is(span,i,b,u,s,q,small,big,cite,abbr,dfn,bdi,bdo,var,samp,kbd,tt,font,time,data)[lang]:not([role])";

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
  const page = new DOMParser().parseFromString((globalThis.pieces ?? []).join(""), "text/html");
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
  const framed = findAll(html, "figure:not([role])");
  [...framed].forEach((figure) => setAttribute(figure, "role", "group"));
  [...findAll(html, "svg:not([role]):has(> title)")].forEach((drawing) => setAttribute(drawing, "role", "img"));
  // Without a role of its own, a part of a line loses its language in the PDF.
  [...findAll(html, ${JSON.stringify(SPOKEN)})].forEach((words) => setAttribute(words, "role", "group"));
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
      const name = quote(attribute(picture, "alt") ?? "");
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

/**
 * Adds the rules of `fonts` to the page. Each text beyond the Latin alphabets, each margin box and the body get them in
 * their list of fonts, after the fonts that the page itself contains. It runs before anything is measured.
 * @returns (as JSON) no warnings.
 */
export const FONTS = `(async () => {
  ${PROTOTYPES}
  const rules = globalThis.fonts ?? [];
  delete globalThis.fonts;
  const root = rootOf(document);
  const body = find(root, "body");
  if (rules.length === 0 || body === null) return "[]";
  const ofPage = new Set([...getter(Document, "fonts")(document)].map(({ family }) => family.replaceAll('"', "")));
  const sheet = method(Document, "createElement")(document, "style");
  sheet.textContent = rules.join("");
  method(Element, "append")(find(root, "head") ?? root, sheet);
  // The fonts are loaded before a text uses them, so that no text keeps the boxes of its first layout.
  const added = [...getter(Document, "fonts")(document)].filter(({ family }) => family.replaceAll('"', "") === "${ADDED_FONTS}");
  await Promise.allSettled(added.map((face) => face.load()));
  const ADDED = '"${ADDED_FONTS}"';
  const walk = method(Document, "createTreeWalker")(document, body, NodeFilter.SHOW_TEXT);
  const elements = new Set([body]);
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode())
    if (/[^\u0000-\u024F]/.test(text(node)) && styled.some((type) => parentOf(node) instanceof type)) elements.add(parentOf(node));
  const withAdded = (list) => {
    const names = list.match(/"[^"]*"|[^,]+/g) ?? [];
    const at = names.findIndex((name) => !ofPage.has(name.replaceAll('"', "").trim()));
    return names.toSpliced(at === -1 ? names.length : at, 0, ADDED).join(",");
  };
  const families = [...elements].map((element) => [element, getComputedStyle(element).fontFamily]);
  for (const [element, family] of families) styleOf(element).setProperty("font-family", withAdded(family), "important");
  const inMargins = (list) => {
    for (const rule of list) {
      if (rule instanceof CSSPageRule)
        for (const box of rule.cssRules ?? [])
          if (box.style?.fontFamily) box.style.fontFamily = withAdded(box.style.fontFamily);
      if (rule.cssRules !== undefined && !(rule instanceof CSSPageRule)) inMargins(rule.cssRules);
    }
  };
  for (const sheet of getter(Document, "styleSheets")(document)) inMargins(sheet.cssRules);
  return "[]";
})`;

/** Characters of a page that are examined, each once for each family of fonts; the rest counts as drawn. */
const MAX_EXAMINED = 10_000;
/** Characters that one warning names. */
const MAX_NAMED = 8;

/**
 * Finds characters that no font draws: the browser draws the same empty box for each of them. Each character is
 * compared with a character that no font has: first the width, then the picture. Characters of the Latin alphabets,
 * spaces and characters without a picture are not examined. It runs after the fonts of the page are loaded.
 * @returns (as JSON) `PrintWarning`s: one for each element with characters that were not named before; with `isList`
 *   the code points of all of them.
 */
export const GLYPHS = `((isList) => {
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
  const missing = new Set();
  const warnings = [];
  let examined = 0;
  const walk = method(Document, "createTreeWalker")(document, body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node !== null && examined < ${MAX_EXAMINED} && (isList || warnings.length < ${MAX_WARNINGS}); node = walk.nextNode()) {
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
      if (/[\\p{Z}\\p{Cc}\\p{Cf}\\p{Cs}\\p{M}\\p{Default_Ignorable_Code_Point}]/u.test(char)) continue;
      examined += 1;
      if (examined > ${MAX_EXAMINED}) break;
      if (missing.has(char) || !isMissing(family, char)) continue;
      missing.add(char);
      found.push(char);
    }
    if (isList || found.length === 0) continue;
    const named = found.slice(0, ${MAX_NAMED}).map((char) => char + " (U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + ")").join(", ");
    const more = found.length > ${MAX_NAMED} ? " and " + (found.length - ${MAX_NAMED}) + " more" : "";
    warnings.push({ code: "missing-glyphs", at: quote(words), detail: "No font of the machine that prints has " + named + more + ". Write them differently, or add a data: font that has them." });
  }
  return JSON.stringify(isList ? [...missing].map((char) => char.codePointAt(0)) : warnings);
})`;
