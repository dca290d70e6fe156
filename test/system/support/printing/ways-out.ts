/**
 * The targets that a page tries to reach: a web server and a plain port on loopback, and a name that only DNS can
 * resolve.
 */
export interface Outside {
  /** `http://127.0.0.1:port`. Every attack has a separate path below it. */
  web: string;
  /** `127.0.0.1:port` of a socket that counts connections. */
  socket: string;
  /** A domain. Every attack has a separate host below it. */
  domain: string;
}

type Ways = Readonly<Record<string, (address: string, outside: Outside, name: string) => string>>;

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const svg = (inner: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">${inner}</svg>`;

/** Attacks in HTML: elements and attributes that load, follow, send or start something. */
export const HTML_WAYS: Ways = {
  image: (to) => `<img src="${to}">`,
  "image unquoted": (to) => `<img/src=${to}>`,
  "image by scheme-relative address": (to) => `<img src="${to.replace("http:", "")}">`,
  "image in capitals": (to) => `<IMG SRC="${to}">`,
  srcset: (to) => `<img srcset="${to} 1x, ${to}-2 2x" sizes="100vw">`,
  picture: (to) => `<picture><source srcset="${to}"><img src="${to}-b"></picture>`,
  "lazy image": (to) => `<img loading="lazy" src="${to}">`,
  "image button": (to) => `<input type="image" src="${to}">`,
  "body background": (to) =>
    `<table background="${to}"><tr><td background="${to}-cell">x</table><body background="${to}-b">`,
  "stylesheet link": (to) => `<link rel="stylesheet" href="${to}">`,
  "stylesheet in the body": (to) => `<p>x<link rel=stylesheet href=${to}></p>`,
  "alternate stylesheet": (to) => `<link rel="alternate stylesheet" title="x" href="${to}">`,
  icon: (to) => `<link rel="icon" href="${to}"><link rel="apple-touch-icon" href="${to}-a">`,
  manifest: (to) => `<link rel="manifest" href="${to}">`,
  preload: (to) => `<link rel="preload" as="image" href="${to}"><link rel="preload" as="style" href="${to}-s">`,
  "image preload": (to) => `<link rel="preload" as="image" imagesrcset="${to} 1x">`,
  modulepreload: (to) => `<link rel="modulepreload" href="${to}">`,
  prefetch: (to) => `<link rel="prefetch" href="${to}">`,
  prerender: (to) => `<link rel="prerender" href="${to}">`,
  preconnect: (_, { socket }) => `<link rel="preconnect" href="http://${socket}" crossorigin>`,
  "dns-prefetch": (_, { domain }) => `<link rel="dns-prefetch" href="http://dns.${domain}">`,
  "dns-prefetch of links": (_, { domain }) =>
    `<meta http-equiv="x-dns-prefetch-control" content="on"><a href="http://link.${domain}/">x</a>`,
  "speculation rules": (to) =>
    `<script type="speculationrules">{"prefetch":[{"urls":["${to}"]}],"prerender":[{"urls":["${to}-p"]}]}</script>`,
  "compression dictionary": (to) => `<link rel="compression-dictionary" href="${to}">`,
  "meta refresh": (to) => `<meta http-equiv="refresh" content="0;url=${to}">`,
  "meta refresh in capitals": (to) => `<META HTTP-EQUIV='Refresh' CONTENT='0; URL="${to}"'>`,
  "meta refresh in noscript": (to) => `<noscript><meta http-equiv="refresh" content="0;${to}"></noscript>`,
  "policy with reports": (to) =>
    `<meta http-equiv="Content-Security-Policy" content="img-src 'none'; report-uri ${to}"><img src="${to}-i">`,
  "policy by meta": (to) =>
    `<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline'"><img src="${to}">`,
  "origin trial and client hints": (to) =>
    `<meta http-equiv="delegate-ch" content="sec-ch-width ${to}"><img src="${to}" width=9>`,
  script: (to) => `<script src="${to}"></script>`,
  "module script": (to) => `<script type="module" src="${to}"></script>`,
  "import map": (to) =>
    `<script type="importmap">{"imports":{"x":"${to}"}}</script><script type="module">import "x"</script>`,
  "inline fetch": (to) =>
    `<script>fetch("${to}"); navigator.sendBeacon("${to}-b"); new Image().src = "${to}-i"</script>`,
  "script in an event": (to) => `<img src="x:" onerror="fetch('${to}')"><body onload="fetch('${to}-l')">`,
  "script in details": (to) => `<details open ontoggle="fetch('${to}')">x</details>`,
  "script by animation": (to) =>
    `<style>@keyframes k{to{top:1px}}</style><p style="animation:k 1ms" onanimationend="fetch('${to}')">x</p>`,
  "script before printing": (to) =>
    `<script>addEventListener("beforeprint", () => fetch("${to}")); matchMedia("print").onchange = () => fetch("${to}-m")</script>`,
  "body event before printing": (to) => `<body onbeforeprint="location='${to}'" onafterprint="location='${to}-a'">`,
  "script by data address": (to) => `<script src="data:text/javascript,fetch('${to}')"></script>`,
  worker: (to) => `<script>new Worker("data:text/javascript,fetch('${to}')"); new SharedWorker("${to}-s")</script>`,
  "service worker": (to) => `<script>navigator.serviceWorker.register("${to}")</script>`,
  websocket: (_, { socket }) => `<script>new WebSocket("ws://${socket}/")</script>`,
  "event source": (to) => `<script>new EventSource("${to}")</script>`,
  webtransport: (_, { socket }) => `<script>new WebTransport("https://${socket}/")</script>`,
  webrtc: (_, { socket }) =>
    `<script>const p = new RTCPeerConnection({iceServers:[{urls:"stun:${socket}"},{urls:"turn:${socket}?transport=tcp",username:"u",credential:"c"}]}); p.createDataChannel("x"); p.createOffer().then((o) => p.setLocalDescription(o))</script>`,
  "xml http request": (to) =>
    `<script>const x = new XMLHttpRequest(); x.open("GET", "${to}", false); x.send()</script>`,
  location: (to) => `<script>location = "${to}"</script>`,
  "window by script": (to) => `<script>open("${to}")</script>`,
  "print hook of the window": (to) => `<script>window.print = () => fetch("${to}"); print()</script>`,
  "custom element": (to) =>
    `<script>customElements.define("x-y", class extends HTMLElement { connectedCallback() { fetch("${to}") } })</script><x-y></x-y>`,
  frame: (to) => `<iframe src="${to}"></iframe>`,
  "frame with its own page": (to) => `<iframe srcdoc="<img src='${to}'><script>fetch('${to}-s')</script>"></iframe>`,
  "frame by data address": (to) => `<iframe src="data:text/html;base64,${base64(`<img src="${to}">`)}"></iframe>`,
  "frame by script address": (to) => `<iframe src="javascript:location='${to}'"></iframe>`,
  "frame in a sandbox": (to) => `<iframe sandbox="allow-scripts allow-top-navigation" src="${to}"></iframe>`,
  frameset: (to) => `<frameset><frame src="${to}"></frameset>`,
  "frame after a frameset": (to) => `</body></html><frameset onload="fetch('${to}')"><frame src="${to}-f"></frameset>`,
  "fenced frame": (to) => `<fencedframe src="${to}"></fencedframe><portal src="${to}-p"></portal>`,
  object: (to) => `<object data="${to}"></object><object type="text/html" data="${to}-h"></object>`,
  embed: (to) => `<embed src="${to}"><embed type="application/pdf" src="${to}-p">`,
  applet: (to) => `<applet code="x" codebase="${to}" archive="${to}-a"></applet>`,
  "object in an object": (to) => `<object data="data:text/html,<img src=${to}>"><img src="${to}-f"></object>`,
  video: (to) => `<video src="${to}" poster="${to}-p" preload="auto" autoplay></video>`,
  audio: (to) => `<audio src="${to}" preload="auto" autoplay></audio>`,
  "media sources": (to) => `<video preload="auto"><source src="${to}"><track default src="${to}-t"></video>`,
  base: (to) => `<base href="${to}/"><img src="relative"><a href="relative" ping="ping">x</a>`,
  form: (to) => `<form action="${to}" autofocus><input name=a value=b><button formaction="${to}-b">x</button></form>`,
  "form that submits itself": (to) => `<form id=f action="${to}"><input></form><script>f.submit()</script>`,
  "form over a document": (to) =>
    `<form name="documentElement" action="${to}"><input name="attributes"><input name="remove"></form><img name="createTreeWalker" src="${to}-i">`,
  ping: (to) => `<a href="#x" ping="${to}" id="x">x</a>`,
  "attribution source": (to) => `<img attributionsrc="${to}"><a attributionsrc="${to}-a" href="#">x</a>`,
  file: () =>
    `<iframe src="file:///etc/passwd"></iframe><img src="file:///etc/passwd"><link rel="stylesheet" href="file:///etc/passwd">`,
  "other schemes": (_, { socket, domain }) =>
    `<img src="ftp://${socket}/x"><img src="https://${socket}/x"><img src="//host.${domain}/x"><img src="http://host.${domain}/x"><img src="blob:http://${socket}/x"><img src="filesystem:http://${socket}/x">`,
  "hidden in a template": (to) =>
    `<div><template shadowrootmode="open"><img src="${to}"><link rel="stylesheet" href="${to}-l"></template></div>`,
  "hidden in a comment": (to) => `<!--><img src="${to}">--><!--[if true]><img src="${to}-c"><![endif]-->`,
  "hidden in a title": (to) => `<title><img src="${to}"></title><textarea><img src="${to}-t"></textarea>`,
  "hidden by nesting": (to) =>
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=${to}&gt;"></mglyph></table></mtext></math><svg><style><img src="${to}-s"></style></svg>`,
  "xml stylesheet": (to) =>
    `<?xml-stylesheet href="${to}" type="text/css"?><?import namespace="x" implementation="${to}-i" ?>`,
  "page number of a link": (to) =>
    `<nav data-list-of="figure"></nav><figure id="${to}"><img src="${to}"><figcaption>x</figcaption></figure><a class="report-page" href="#${to}">x</a>`,
  "html import": (to) => `<link rel="import" href="${to}"><bgsound src="${to}-b"><image src="${to}-i">`,
};

/**
 * Attacks that would hide other attacks on the same page: they swallow or replace the page, set a policy or leave the
 * page. Each of them has a separate page.
 */
export const WAYS_ALONE: ReadonlySet<string> = new Set([
  "body background",
  "meta refresh",
  "meta refresh in capitals",
  "meta refresh in noscript",
  "policy with reports",
  "policy by meta",
  "script in an event",
  "body event before printing",
  "location",
  "window by script",
  "print hook of the window",
  "frame in a sandbox",
  "frameset",
  "frame after a frameset",
  "base",
  "form that submits itself",
  "form over a document",
  "hidden in a comment",
  "hidden in a title",
  "hidden by nesting",
  "xml stylesheet",
]);

/** Ways in a stylesheet. */
export const CSS_WAYS: Ways = {
  "@import": (to) => `@import "${to}"; @import url(${to}-u) screen;`,
  "@import in a layer": (to) => `@import url("${to}") layer(x) supports(display: grid);`,
  background: (to) => `body { background: url(${to}) }`,
  "background written in escapes": (to) => `body { background-image: u\\72l("${to}") }`,
  "image set": (to) =>
    `p { background: image-set("${to}" 1x, url("${to}-2") 2x) } div { background: -webkit-image-set(url("${to}-w") 1x) }`,
  "cross-fade": (to) => `h1 { background: -webkit-cross-fade(url(${to}), url(${to}-b), 50%) }`,
  "font face": (to) => `@font-face { font-family: way; src: url(${to}) } body { font-family: way }`,
  "font face with a range": (to) =>
    `@font-face { font-family: sniff; src: url(${to}); unicode-range: U+0041 } p { font-family: sniff }`,
  cursor: (to) => `body { cursor: url(${to}), auto }`,
  content: (to) => `p::before { content: url(${to}) } p::after { content: "" url("${to}-a") }`,
  "content with a page number": (to) =>
    `a::after { content: target-counter(attr(href), page) url(${to}) } a::before { content: target-counter(attr(href), page); background: url(${to}-b) }`,
  "list marker": (to) => `li { list-style-image: url(${to}) } ::marker { content: url(${to}-m) }`,
  borders: (to) => `p { border-image: url(${to}) 1; border-image-source: url(${to}-s) }`,
  masks: (to) => `p { mask: url(${to}); -webkit-mask-image: url(${to}-w); clip-path: url(${to}-c#c) }`,
  filter: (to) => `p { filter: url(${to}#f); backdrop-filter: url(${to}-b#f) }`,
  shape: (to) => `p { shape-outside: url(${to}); float: left } path { offset-path: url(${to}-o#p) }`,
  "page margin boxes": (to) => `@page { @top-left { content: url(${to}) } background: url(${to}-b) }`,
  "attribute selector": (to) => `[class^="a"] { background: url(${to}) } p:has(~ p) { background: url(${to}-h) }`,
  "custom property": (to) => `:root { --way: url(${to}) } p { background: var(--way) }`,
  "registered property": (to) =>
    `@property --reg { syntax: "<url>"; inherits: true; initial-value: url(${to}) } p { background: var(--reg) }`,
  "namespace and counter style": (to) =>
    `@namespace url(${to}); @counter-style way { system: cyclic; symbols: url(${to}-c) } li { list-style: way }`,
  behaviour: (to) => `p { behavior: url(${to}); -moz-binding: url(${to}-m#x) }`,
  "source map": (to) => `p { color: red } /*# sourceMappingURL=${to} */ /*@ sourceURL=${to}-s */`,
  "out of the element": (to) => `p { color: red } </style><img src="${to}"><style>`,
  "media for print": (to) =>
    `@media print { body { background: url(${to}) } } @media screen { body { background: url(${to}-s) } }`,
  "font source by data": (to) =>
    `@font-face { font-family: d; src: url("data:image/svg+xml,${encodeURIComponent(svg(`<image href="${to}"/>`))}") } p { font-family: d }`,
};

/** Attacks in an SVG drawing, in the page or as a picture. */
export const SVG_WAYS: Ways = {
  "svg image": (to) =>
    svg(`<image href="${to}" width="9" height="9"/><image xlink:href="${to}-x" width="9" height="9"/>`),
  "svg use": (to) => svg(`<use href="${to}#a"/><use xlink:href="${to}-x#a"/>`),
  "svg style": (to) =>
    svg(`<style>@import url(${to}); rect { fill: url(${to}-f#p) }</style><rect width="9" height="9"/>`),
  "svg paint": (to) =>
    svg(
      `<rect width="9" height="9" fill="url(${to}#p)" filter="url(${to}-f#f)" mask="url(${to}-m#m)" clip-path="url(${to}-c#c)" marker-start="url(${to}-k#k)"/>`,
    ),
  "svg filter image": (to) =>
    svg(`<filter id="fi"><feImage href="${to}"/></filter><rect filter="url(#fi)" width="9" height="9"/>`),
  "svg script": (to) => svg(`<script href="${to}"/><script>fetch("${to}-f")</script><rect onload="fetch('${to}-l')"/>`),
  "svg foreign object": (to) =>
    svg(
      `<foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml"><img src="${to}"/><iframe src="${to}-f"></iframe></body></foreignObject>`,
    ),
  "svg animation of an address": (to) =>
    svg(
      `<image width="9" height="9" href="data:,"><set attributeName="href" to="${to}"/><animate attributeName="href" values="${to}-a;${to}-b" dur="1ms"/></image>`,
    ),
  "svg link": (to) => svg(`<a href="${to}" ping="${to}-p"><rect width="9" height="9"/></a>`),
  "svg text path and pattern": (to) =>
    svg(
      `<text><textPath href="${to}#p">x</textPath></text><pattern id="pp" href="${to}-p#p"/><rect width="9" height="9" fill="url(#pp)"/>`,
    ),
  "svg stylesheet instruction": (to) => `<?xml-stylesheet href="${to}" type="text/css"?>${svg("<rect/>")}`,
  "svg entity": (to) => `<!DOCTYPE svg [<!ENTITY way SYSTEM "${to}">]>${svg("<text>&way;</text>")}`,
};

/** The same drawings as pictures: the content of an `img` may load nothing either. */
export const pictureOf = (drawing: string): string =>
  `<img src="data:image/svg+xml;base64,${base64(drawing)}" width="20">`;

/** Every attack of a kind, each with a separate address below `place`. */
export function writeWays(ways: Ways, place: string, outside: Outside): { name: string; text: string }[] {
  return Object.entries(ways).map(([name, write]) => {
    const path = `${place}/${name}`.replaceAll(/[^a-z0-9/]+/gi, "-");
    return { name, text: write(`${outside.web}/${path}`, outside, name) };
  });
}
