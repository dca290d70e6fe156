/**
 * Elements that a printed page has no use for: what loads, runs, nests or moves. Everything they could
 * ask for is refused below them once more.
 */
const UNWANTED =
  "script,base,link,meta,iframe,frame,frameset,object,embed,applet,portal,fencedframe,param,audio,video,source,track," +
  "bgsound,template,animate,animatecolor,animatemotion,animatetransform,set,discard,handler,listener";

/** Attributes that hold an address. One that is no `data:` picture, part of this page or link goes. */
const ADDRESSES =
  "src,href,xlink:href,poster,data,background,action,formaction,cite,longdesc,lowsrc,dynsrc,codebase,classid,archive," +
  "profile,usemap,icon,manifest,xml:base";

/** Attributes that go whatever they hold. `loading` would keep a picture for a screen that never scrolls. */
const UNWANTED_ATTRIBUTES =
  "srcset,imagesrcset,srcdoc,ping,target,download,attributionsrc,http-equiv,nonce,loading,fetchpriority,is,autofocus," +
  "referrerpolicy,crossorigin,popover";

/**
 * Puts the parsed page in the place of the empty one. It runs inside the browser while the page's own
 * scripts are off, and reads the page through the prototypes alone: an element named like a property would
 * stand in its way on the object. The page is parsed where nothing loads and cleaned before it is shown, by the
 * same parser that shows it.
 */
export const ARRANGE = `(async (title, language) => {
  const from = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name);
  const getter = (type, name) => { const { get } = from(type, name); return (node) => get.call(node); };
  const method = (type, name) => { const { value } = from(type, name); return (node, ...given) => value.apply(node, given); };
  const root = getter(Document, "documentElement");
  const localName = getter(Element, "localName");
  const attributeNames = method(Element, "getAttributeNames");
  const attribute = method(Element, "getAttribute");
  const setAttribute = method(Element, "setAttribute");
  const removeAttribute = method(Element, "removeAttribute");
  const remove = method(Element, "remove");
  const find = method(Element, "querySelector");
  const text = getter(Node, "textContent");
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
  const html = root(page);
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
  // The picture is the figure: tagged with its frame as well it would be read out twice, once without words.
  const framed = method(Element, "querySelectorAll")(html, "figure:has(img, [role=img]):not([role])");
  [...framed].forEach((figure) => setAttribute(figure, "role", "group"));
  const empty = document.documentElement;
  empty.replaceWith(document.adoptNode(html));
  const decode = method(HTMLImageElement, "decode");
  const pictures = [...method(Element, "querySelectorAll")(html, "img")].filter((picture) => attribute(picture, "src"));
  // Backgrounds and fonts begin to load when they are laid out.
  method(Element, "getBoundingClientRect")(html);
  await Promise.allSettled(pictures.map((picture) => decode(picture)));
  await getter(Document, "fonts")(document).ready;
})`;
