/** Site inspection: findings with a rating, each with its pictures. It has its own shell, in blue and gray. */
export const INSPECTION = {
  key: "site-inspection",
  displayName: "Site inspection",
  bodyFieldPath: "summary",
  contentTemplateJson: {
    inspector: "",
    date: "",
    weather: { sky: "", wind: "", temperature: null },
    overall: { rating: "", note: "" },
    cover: null,
    summary: "## Summary\n\n## What was looked at\n",
    findings: [{ number: 1, title: "", place: "", severity: "low", text: "", measure: "", due: "", photos: [] }],
    signatures: [{ name: "", role: "" }],
  },
  htmlLayoutTemplate: `<html lang="en">
<head><style>{{stylesheet_css}}</style></head>
<body>
<header class="cover">
  <div class="brand">
    {{#branding.logo_data_url}}<img src="{{{branding.logo_data_url}}}" alt="{{branding.brand_name}}">{{/branding.logo_data_url}}
    {{^branding.logo_data_url}}<strong>{{branding.organization_name}}</strong>{{/branding.logo_data_url}}
    <span>{{branding.slogan}}</span>
  </div>
  <div class="cover-picture">{{image "cover"}}</div>
  <div class="cover-text">
    <p class="kind">{{template.display_name}}</p>
    <h1>{{report.title}}</h1>
    <p class="place">{{location.name}}{{#location.address}} · {{location.address}}{{/location.address}}</p>
  </div>
  <dl class="facts">
    <div><dt>Inspected on</dt><dd>{{date "date"}}</dd></div>
    <div><dt>Inspector</dt><dd>{{inspector}}</dd></div>
    <div><dt>Weather</dt><dd>{{weather.sky}}{{#weather.wind}}, {{.}}{{/weather.wind}}{{#weather.temperature}}, {{number "." unit=celsius}}{{/weather.temperature}}</dd></div>
    <div class="rating rating-{{overall.rating}}"><dt>Overall</dt><dd>{{overall.note}}</dd></div>
  </dl>
</header>

<main>
<section class="body">{{body_html}}</section>

<h2>Findings at a glance</h2>
<table class="glance">
<thead><tr><th>No.</th><th>Finding</th><th>Place</th><th>Severity</th><th>Due</th></tr></thead>
<tbody>
{{#findings}}<tr><td>{{number}}</td><td><a href="#finding-{{number}}">{{title}}</a></td><td>{{place}}</td><td><span class="tag {{severity}}">{{severity}}</span></td><td>{{date "due" style=medium}}</td></tr>
{{/findings}}
</tbody>
</table>

{{#findings}}
<article class="finding" id="finding-{{number}}">
  <h2><span class="number {{severity}}">{{number}}</span>{{title}}</h2>
  <p class="where">{{place}} · <span class="tag {{severity}}">{{severity}}</span></p>
  <p>{{text}}</p>
  {{#measure}}<p class="measure"><strong>Measure</strong>{{measure}}{{#due}} <em>Due {{date "due"}}.</em>{{/due}}</p>{{/measure}}
  {{image_list "photos" 4}}
</article>
{{/findings}}

<section data-signatures="{{#signatures}}
{{role}}: {{name}}
{{/signatures}}"></section>
</main>
</body>
</html>
`,
  cssStylesheetTemplate: `@page {
  size: A4;
  margin: 24mm 18mm 20mm;
  @top-left { content: "{{branding.brand_name}}{{^branding.brand_name}}{{branding.organization_name}}{{/branding.brand_name}}"; font: 600 8pt system-ui, sans-serif; color: #1d3c5a; }
  @top-right { content: "{{report.title}}"; font: 8pt system-ui, sans-serif; color: #6a7580; }
  @bottom-left { content: "{{location.name}} · {{date "date"}}"; font: 8pt system-ui, sans-serif; color: #6a7580; }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; color: #6a7580; }
}
@page :first { margin: 0; @top-left { content: none } @top-right { content: none } @bottom-left { content: none } @bottom-right { content: none } }
:root {
  --primary: {{branding.primary_color}}{{^branding.primary_color}}#1d3c5a{{/branding.primary_color}};
  --on-primary: {{branding.on_primary_color}}{{^branding.on_primary_color}}#ffffff{{/branding.on_primary_color}};
  --strong: {{branding.primary_color_on_paper}}{{^branding.primary_color_on_paper}}#1d3c5a{{/branding.primary_color_on_paper}};
  --accent: {{branding.accent_color}}{{^branding.accent_color}}#e0a526{{/branding.accent_color}};
  --low: #2f7d4f; --medium: #b26a00; --high: #b3261e;
}
* { box-sizing: border-box; }
html { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { margin: 0; font: 10.5pt/1.5 system-ui, "Helvetica Neue", Arial, sans-serif; color: #20272d; }
.cover { height: 296mm; display: flex; flex-direction: column; break-after: page; }
.brand { display: flex; justify-content: space-between; align-items: center; padding: 12mm 18mm; height: 38mm; }
.brand img { max-height: 17mm; max-width: 70mm; }
.brand strong { font-size: 14pt; color: var(--strong); }
.brand span { color: #6a7580; font-style: italic; }
.cover-picture { height: 122mm; background: linear-gradient(160deg, var(--primary), #0c1a26); overflow: hidden; border-bottom: 2.5mm solid var(--accent); }
.cover-picture .report-image { margin: 0; height: 100%; }
.cover-picture img { width: 100%; height: 100%; object-fit: cover; max-height: none; }
.cover-picture figcaption { display: none; }
.cover-text { padding: 15mm 18mm 0; }
.kind { margin: 0; text-transform: uppercase; letter-spacing: .1em; font-size: 9.5pt; color: #6a7580; }
h1 { margin: 2mm 0 4mm; font-size: 30pt; line-height: 1.12; letter-spacing: -.012em; color: var(--strong); text-wrap: balance; }
.place { margin: 0; font-size: 12.5pt; }
.facts { margin: auto 18mm 16mm; display: grid; grid-template-columns: 1fr 1fr 1.3fr 1.1fr; border-top: .3mm solid #ccd3d9; }
.facts div { padding: 4mm 4mm 0 0; }
.facts dt { font-size: 8pt; color: #6a7580; }
.facts dd { margin: 0; font-weight: 600; font-size: 10pt; }
.rating dd::before { content: ""; display: inline-block; width: 2.6mm; height: 2.6mm; border-radius: 50%; background: #999; margin-right: 2mm; }
.rating-good dd::before { background: var(--low); } .rating-fair dd::before { background: var(--medium); } .rating-poor dd::before { background: var(--high); }
h2 { font-size: 15pt; color: var(--strong); margin: 9mm 0 3mm; line-height: 1.25; }
.body > :first-child { margin-top: 0; }
p { margin: 0 0 3mm; orphans: 3; widows: 3; }
ul { padding-left: 5mm; margin: 0 0 4mm; }
li:has(> input) { list-style: none; margin-left: -4.5mm; }
table { width: 100%; border-collapse: collapse; font-size: 9.5pt; }
th:not([align]) { text-align: left; }
th { padding: 2mm; background: var(--primary); color: var(--on-primary); font-weight: 600; }
td { padding: 2mm; border-bottom: .2mm solid #d5dbe0; vertical-align: top; }
td a { color: inherit; text-decoration: none; }
.tag { font-size: 8pt; font-weight: 650; padding: .4mm 2.2mm; border-radius: 3mm; color: #fff; background: #777; text-transform: capitalize; }
.tag.low { background: var(--low); } .tag.medium { background: var(--medium); } .tag.high { background: var(--high); }
.finding { break-inside: avoid; margin-top: 8mm; padding-top: 1mm; border-top: .3mm solid #ccd3d9; }
.finding h2, .where { break-after: avoid; }
.finding h2 { margin: 4mm 0 1mm; display: flex; align-items: center; gap: 3mm; }
.number { flex: none; width: 8.5mm; height: 8.5mm; border-radius: 50%; background: #777; color: #fff; font-size: 11pt; display: grid; place-items: center; }
.number.low { background: var(--low); } .number.medium { background: var(--medium); } .number.high { background: var(--high); }
.where { color: #6a7580; margin-bottom: 3mm; }
.measure { background: #f3f6f8; border-left: 1.2mm solid var(--accent); padding: 3mm 4mm; break-inside: avoid; break-after: avoid; }
.measure strong { margin-right: 3mm; color: var(--strong); }
.report-gallery { gap: 4mm; margin: 4mm 0 0; break-inside: avoid; }
.report-gallery img { border-radius: 1mm; aspect-ratio: 3 / 2; }
[data-signatures] { margin-top: 14mm; }
.report-line { color: #6a7580; font-size: 9pt; margin: 0; }
.report-line > :last-child { color: #20272d; font-size: 10.5pt; font-weight: 600; }
@media screen { body { max-width: 210mm; margin: 0 auto; } main { padding: 10mm 18mm; } }
`,
};

/** A report of the demo; its pictures lie in the location's library. */
export const BREAKWATER = {
  title: "Northern breakwater, autumn inspection",
  contentJson: {
    inspector: "Olav Surveyor",
    date: "2026-10-12",
    weather: { sky: "overcast", wind: "south-west 4", temperature: 9 },
    overall: { rating: "fair", note: "Serviceable, repairs due" },
    cover: { documentPath: "photos/breakwater.jpg", caption: "The breakwater from the lighthouse" },
    summary: `## Summary

The breakwater is **stable and serviceable**. Of twelve caissons eleven are without change since last year; caisson three shows hairline cracks above the waterline that have grown by 4 mm. One rung of the eastern ladder has come loose and must be replaced before winter.

| Part | Length | State | Change since 2025 |
|---|--:|---|---|
| Caissons 1–6 | 180 m | fair | cracks at caisson 3 |
| Caissons 7–12 | 180 m | good | none |
| Ladders | 4 | poor | one rung loose |
| Fenders | 18 | fair | one torn |

## What was looked at

- [x] Crest and parapet, on foot
- [x] Seaward face, from the boat at low water
- [x] Ladders and fenders
- [ ] Underwater toe: postponed to the next spring tide
`,
    findings: [
      {
        number: 1,
        title: "Hairline cracks at caisson three",
        place: "Seaward face, 1.2 m above mean water",
        severity: "medium",
        text: "A branching crack of 0.6 mm runs over 2.1 m. No rust, no displacement. Gypsum marks set in 2025 are unbroken but for the lowest one.",
        measure: "Inject with epoxy resin and set three new marks.",
        due: "2027-04-30",
        photos: [
          { documentPath: "photos/crack.jpg", caption: "The crack with a scale of 65 cm" },
          { documentPath: "photos/breakwater.jpg", caption: "Caisson three is the third from the left" },
        ],
      },
      {
        number: 2,
        title: "Loose rung on the eastern ladder",
        place: "Ladder E2, sixth rung",
        severity: "high",
        text: "The left weld is broken; the rung hangs by the right one. The ladder was closed with a chain during the inspection.",
        measure: "Weld or replace the ladder before it is opened again.",
        due: "2026-10-31",
        photos: [{ documentPath: "photos/ladder.jpg", caption: "Sixth rung from the top" }],
      },
      {
        number: 3,
        title: "Torn fender at berth two",
        place: "Fender 7",
        severity: "low",
        text: "The lower edge is torn off over 20 cm. It still takes the load of the pilots' boats.",
        measure: "Order a replacement with the yearly delivery.",
        due: "2027-03-31",
        photos: [{ documentPath: "photos/fender.jpg", caption: "Fender 7, in the middle" }],
      },
    ],
    signatures: [
      { name: "Olav Surveyor", role: "Inspector" },
      { name: "Astrid Keeper", role: "Harbour master" },
    ],
  },
};
