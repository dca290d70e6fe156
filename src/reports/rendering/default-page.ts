import type { Labels } from "./labels";

/** The layout for templates without one. It uses only names that every template can use. */
export const defaultLayout = (labels: Labels): string => `<style>{{stylesheet_css}}</style></head><body>
<header class="cover">
<div class="cover-band{{#branding.banner_data_url}} cover-with-banner{{/branding.banner_data_url}}">
{{#branding.banner_data_url}}<img class="cover-banner" src="{{{branding.banner_data_url}}}" alt="">{{/branding.banner_data_url}}
</div>
<div class="cover-brand">
{{#branding.logo_data_url}}<img class="cover-logo" src="{{{branding.logo_data_url}}}" alt="{{branding.brand_name}}">{{/branding.logo_data_url}}
{{^branding.logo_data_url}}{{#branding.brand_name}}<p class="cover-brand-name" dir="auto">{{branding.brand_name}}</p>{{/branding.brand_name}}
{{^branding.brand_name}}<p class="cover-brand-name" dir="auto">{{branding.organization_name}}</p>{{/branding.brand_name}}{{/branding.logo_data_url}}
</div>
<div class="cover-title">
<p class="cover-kind" dir="auto">{{template.display_name}}</p>
<h1 dir="auto">{{report.title}}</h1>
{{#location.name}}<p class="cover-place" dir="auto">{{location.name}}</p>{{/location.name}}
{{#location.address}}<p class="cover-address" dir="auto">{{location.address}}</p>{{/location.address}}
</div>
<dl class="cover-facts">
<div><dt dir="auto">${labels.date}</dt><dd dir="auto">{{report.updated_on}}</dd></div>
{{#report.created_by}}<div><dt dir="auto">${labels.preparedBy}</dt><dd dir="auto">{{report.created_by}}</dd></div>{{/report.created_by}}
<div><dt dir="auto">${labels.revision}</dt><dd dir="auto">{{report.revision}}</dd></div>
</dl>
{{#branding.slogan}}<p class="cover-slogan" dir="auto">{{branding.slogan}}</p>{{/branding.slogan}}
</header>
<nav class="contents">{{contents_html}}</nav>
<main>
<section class="report-data">{{data_html}}</section>
<section class="report-body">{{body_html}}</section>
</main>
</body></html>
`;

const PRIMARY = `{{#branding.primary_color}}{{branding.primary_color}}{{/branding.primary_color}}{{^branding.primary_color}}#1d3c5a{{/branding.primary_color}}`;
const PRIMARY_TEXT = `{{#branding.primary_color_on_paper}}{{branding.primary_color_on_paper}}{{/branding.primary_color_on_paper}}{{^branding.primary_color_on_paper}}#1d3c5a{{/branding.primary_color_on_paper}}`;
const ACCENT = `{{#branding.accent_color}}{{branding.accent_color}}{{/branding.accent_color}}{{^branding.accent_color}}${PRIMARY}{{/branding.accent_color}}`;
const BRAND = `{{#branding.brand_name}}{{branding.brand_name}}{{/branding.brand_name}}{{^branding.brand_name}}{{branding.organization_name}}{{/branding.brand_name}}`;

/**
 * The stylesheet of the default wrapper: a cover without margins, then pages with running heads and page numbers in
 * their margins. The template's own stylesheet follows it and can change the paper: `@page { size: letter }`.
 */
export const defaultStyle = ({ page: [page, of], contents }: Labels): string => `
@page {
  size: A4;
  margin: 25mm 20mm 22mm;
  @top-left { content: "${BRAND}"; font: 600 8pt/1.2 system-ui, "Helvetica Neue", Arial, sans-serif; color: ${PRIMARY_TEXT}; }
  @top-right { content: "{{report.title}}"; font: 8pt/1.2 system-ui, "Helvetica Neue", Arial, sans-serif; color: #5d6670; }
  @bottom-left { content: "{{location.name}}"; font: 8pt/1.2 system-ui, "Helvetica Neue", Arial, sans-serif; color: #5d6670; }
  @bottom-right { content: "${page}" counter(page) "${of}" counter(pages); font: 8pt/1.2 system-ui, "Helvetica Neue", Arial, sans-serif; color: #5d6670; }
}
@page :first { margin: 0; @top-left { content: none } @top-right { content: none } @bottom-left { content: none } @bottom-right { content: none } }
:root { --primary: ${PRIMARY}; --primary-text: ${PRIMARY_TEXT}; --accent: ${ACCENT}; --ink: #1f262d; --soft: #5d6670; --line: #d9dee3; }
* { box-sizing: border-box; }
html { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0; color: var(--ink); font: 10.5pt/1.55 system-ui, "Helvetica Neue", Arial, sans-serif; }
.cover { position: relative; height: calc(var(--page-height, 297mm) - 1mm); padding: 0 20mm calc(var(--page-height, 297mm) * .06); display: flex; flex-direction: column; break-after: page; overflow: hidden; }
.cover-band { margin: 0 -20mm; height: calc(var(--page-height, 297mm) * .21); flex: none; background: var(--primary); border-bottom: 2.5mm solid var(--accent); }
body:not(:has(.contents li, main > section:not(:empty))) .cover { break-after: auto; }
.cover-with-banner { height: calc(var(--page-height, 297mm) * .31); }
.cover-banner { width: 100%; height: 100%; object-fit: cover; display: block; }
.cover-brand { margin-top: calc(var(--page-height, 297mm) * .054); min-height: 18mm; }
.cover-logo { max-height: 20mm; max-width: 75mm; object-fit: contain; object-position: left; display: block; }
.cover-brand-name { margin: 0; font-size: 15pt; font-weight: 650; color: var(--primary-text); }
.cover-title { margin-top: calc(var(--page-height, 297mm) * .06); }
.cover-kind { margin: 0 0 3mm; font-size: 10pt; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
.cover h1 { margin: 0; font-size: 31pt; line-height: 1.14; letter-spacing: -.012em; font-weight: 700; overflow-wrap: anywhere; text-wrap: balance;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 5; overflow: hidden; }
[data-paper=landscape] .cover h1 { -webkit-line-clamp: 3; }
.cover-place { margin: 7mm 0 0; font-size: 14pt; }
.cover-address { margin: 1mm 0 0; color: var(--soft); }
.cover-facts { display: flex; gap: 14mm; margin: auto 0 0; padding-top: 5mm; border-top: .3mm solid var(--line); }
.cover-facts dt { font-size: 8pt; color: var(--soft); }
.cover-facts dd { margin: 0; font-weight: 600; }
.cover-slogan { margin: 6mm 0 0; color: var(--soft); font-style: italic; }
.contents:has(li) { margin-bottom: 14mm; }
.contents:has(li:nth-child(16)) { break-after: page; margin: 0; }
.contents:has(li)::before { content: "${contents}"; display: block; font-size: 19pt; font-weight: 700; margin-bottom: 6mm; color: var(--primary-text); }
.report-contents, .report-list-of { list-style: none; margin: 0; padding: 0; }
.report-contents a, .report-list-of a { display: flex; justify-content: space-between; align-items: baseline; gap: 6mm; padding: 1.9mm 0; border-bottom: .2mm solid var(--line); color: inherit; text-decoration: none; }
.report-contents a::after { content: target-counter(attr(href), page); flex: none; font-variant-numeric: tabular-nums; }
.contents-level-1 { font-weight: 600; }
.contents-level-2 { padding-inline-start: 6mm; }
h1, h2, h3, h4 { line-height: 1.25; margin: 1.7em 0 .5em; overflow-wrap: anywhere; }
main > section > :first-child { margin-top: 0; }
.report-data:not(:empty) + .report-body { margin-top: 11mm; }
main h1 { font-size: 19pt; color: var(--primary-text); letter-spacing: -.008em; }
main h2 { font-size: 14.5pt; color: var(--primary-text); }
main h3 { font-size: 11.5pt; }
main h4 { font-size: 10.5pt; color: var(--soft); }
p { margin: 0 0 .8em; orphans: 3; widows: 3; }
a { color: var(--primary-text); }
ul, ol { padding-inline-start: 1.4em; margin: 0 0 .9em; }
ol { padding-inline-start: 2.6em; }
ol:has(> li:nth-child(100)):not(.report-contents, .report-list-of), ol[start] { padding-inline-start: 4.2em; }
li { margin: .2em 0; }
li:has(> input[type=checkbox], > p:first-child > input[type=checkbox]) { list-style: none; margin-inline-start: -1.3em; }
table { width: 100%; border-collapse: collapse; margin: 1em 0 1.4em; font-size: 9.5pt; }
thead { display: table-header-group; }
th:not([align]) { text-align: start; }
th { font-weight: 650; color: var(--primary-text); border-bottom: .5mm solid var(--primary); padding: 1.6mm 2.2mm; vertical-align: bottom; }
td { border-bottom: .2mm solid var(--line); padding: 1.6mm 2.2mm; vertical-align: top; overflow-wrap: break-word; }
tbody tr:nth-child(even) td { background: #f6f8f9; }
blockquote { margin: 1.1em 0; padding: .7em 1.1em; border-inline-start: 1.2mm solid var(--accent); background: #f6f8f9; }
blockquote > :last-child { margin-bottom: 0; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; background: #f1f3f5; padding: .1em .3em; border-radius: 1mm; }
pre { background: #f1f3f5; padding: 3mm 4mm; border-radius: 1mm; font-size: 9pt; }
pre code { background: none; padding: 0; }
hr { border: 0; border-top: .3mm solid var(--line); margin: 2em 0; }
.report-facts { display: grid; grid-template-columns: 1fr 1fr; gap: 0 10mm; margin: 0 0 1.6em; }
.report-facts > div { display: flex; gap: 4mm; padding: 1.7mm 0; border-bottom: .2mm solid var(--line); break-inside: avoid; }
.report-facts dt { flex: 0 0 34%; color: var(--soft); }
.report-facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.report-image img, .report-gallery img { border-radius: 1mm; }
.report-image > img { max-height: min(150mm, var(--page-room, 300mm) * .8); object-fit: scale-down; margin: 0 auto; }
@media screen {
  html { background: #e9ecef; }
  body { max-width: 210mm; margin: 8mm auto; background: #fff; box-shadow: 0 1mm 6mm rgb(0 0 0 / .12); }
  .contents, main { padding: 14mm 20mm; }
  .contents:not(:has(li)) { display: none; }
}
`;

/**
 * The base style of every page: a gallery shows whole pictures, never enlarged, and code continues on the next page.
 * All rules use `:where()`, so every rule of a template's stylesheet overrides them.
 */
export const BASE_STYLE = `
:where(body){overflow-wrap:break-word}
:where(.report-image){margin:1em 0;break-inside:avoid}
:where(.report-image img){display:block;max-width:100%;height:auto}
:where(.report-image figcaption){font-size:.85em;color:#555;margin-top:.4em}
:where(.report-gallery){display:grid;grid-template-columns:repeat(2,1fr);gap:1em;margin:1em 0}
:where(.report-gallery .report-image){margin:0}
:where(.report-gallery img){width:100%;aspect-ratio:4/3;object-fit:scale-down}
:where(.report-inline-image){max-width:100%;height:auto;vertical-align:middle}
:where(.report-missing){display:flex;flex-direction:column;justify-content:center;align-items:center;gap:.3em;min-height:8em;padding:1em;
border:1.5px dashed #b3261e;background:#fdf3f2;color:#8c1d18;text-align:center;font-size:.85em;overflow-wrap:anywhere}
:where(.footnotes){margin-top:2em;padding-top:.5em;border-top:1px solid #ccc;font-size:.85em}
:where(.footnotes h2){display:none}
:where(.footnotes p){margin:.2em 0}
:where([data-footnote-ref],[data-footnote-backref]){text-decoration:none}
:where(td,th,li,li>p,blockquote p){unicode-bidi:plaintext}
:where(pre){direction:ltr}
:where(blockquote,tr,img){break-inside:avoid}
:where(h1,h2,h3,h4,h5,h6){break-after:avoid}
:where(pre){white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4;orphans:3;widows:3;box-decoration-break:clone;-webkit-box-decoration-break:clone}
:where(li:has(>input[type=checkbox],>p:first-child>input[type=checkbox])){list-style:none}
:where(input[type=checkbox]){margin:0 .4em 0 0}
:where(a.report-page,.report-list-of a)::after{content:target-counter(attr(href),page)}
:where(.report-list-of){list-style:none;margin:0;padding:0}
:where(.report-list-of a){display:flex;justify-content:space-between;align-items:baseline;gap:1em;color:inherit;text-decoration:none}
:where([data-signatures]){margin-top:2.5em;break-inside:avoid}
:where(.report-signatures){display:grid;grid-template-columns:1fr 1fr;gap:2em 3em;margin:1em 0}
:where(.report-signature){break-inside:avoid}
:where(.report-role){font-weight:600}
:where(.report-line){display:flex;align-items:flex-end;gap:.8em;min-height:2em}
:where(.report-sign-here){min-height:4em}
:where(.report-line>:last-child){flex:1;border-bottom:1px solid #555;overflow-wrap:anywhere}
@media screen{:where([data-orientation=landscape i]){overflow-x:auto}}
:where(.report-state){position:absolute;margin-inline-start:-3em;width:3em;font-size:.5em;line-height:2;color:transparent;text-align:end;white-space:nowrap}
`.replaceAll("\n", "");
