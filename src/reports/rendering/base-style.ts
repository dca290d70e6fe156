/**
 * The little that pictures, code and lists need on any page: a gallery shows every picture whole and no larger than
 * it is, and code goes on over the page's end. Everything is in `:where()`, so that whatever a template's own
 * stylesheet says is stronger.
 */
export const BASE_STYLE = `
:where(.report-image){margin:1em 0;break-inside:avoid}
:where(.report-image img){display:block;max-width:100%;height:auto}
:where(.report-image figcaption){font-size:.85em;color:#555;margin-top:.4em}
:where(.report-gallery){display:grid;grid-template-columns:repeat(2,1fr);gap:1em;margin:1em 0}
:where(.report-gallery .report-image){margin:0}
:where(.report-gallery img){width:100%;aspect-ratio:4/3;object-fit:scale-down}
:where(.report-inline-image){max-width:100%;vertical-align:middle}
:where(.report-missing){display:flex;flex-direction:column;justify-content:center;align-items:center;gap:.3em;min-height:8em;padding:1em;
border:1.5px dashed #b3261e;background:#fdf3f2;color:#8c1d18;text-align:center;font-size:.85em;overflow-wrap:anywhere}
:where(.footnotes){margin-top:2em;padding-top:.5em;border-top:1px solid #ccc;font-size:.85em}
:where(.footnotes h2){display:none}
:where(.footnotes p){margin:.2em 0}
:where([data-footnote-ref],[data-footnote-backref]){text-decoration:none}
:where(blockquote,tr,img){break-inside:avoid}
:where(h1,h2,h3,h4,h5,h6){break-after:avoid}
:where(pre){white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4;orphans:3;widows:3;box-decoration-break:clone;-webkit-box-decoration-break:clone}
:where(li:has(>input[type=checkbox],>p:first-child>input[type=checkbox])){list-style:none}
:where(input[type=checkbox]){margin:0 .4em 0 0}
`.replaceAll("\n", "");
