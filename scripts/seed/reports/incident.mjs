/** Incident: one page to send at once, on Letter paper, with a timeline. */
export const INCIDENT = {
  key: "incident",
  displayName: "Incident report",
  bodyFieldPath: "account",
  contentTemplateJson: {
    reference: "",
    when: "",
    severity: "minor",
    reportedBy: "",
    people: { injured: 0, evacuated: 0 },
    timeline: [{ at: "", what: "" }],
    account: "## What happened\n\n## Immediate measures\n",
    actions: [{ what: "", who: "", until: "" }],
    photo: null,
  },
  htmlLayoutTemplate: `<html lang="en">
<head><style>{{stylesheet_css}}</style></head>
<body class="{{severity}}">
<header>
  <div class="bar"><span>{{branding.brand_name}}{{^branding.brand_name}}{{branding.organization_name}}{{/branding.brand_name}}</span><span>Confidential</span></div>
  <div class="head">
    <div>
      <p class="kind">{{template.display_name}} {{reference}}</p>
      <h1>{{report.title}}</h1>
      <p class="place">{{location.name}}{{#location.address}}, {{location.address}}{{/location.address}}</p>
    </div>
    <div class="severity"><span>Severity</span><strong>{{severity}}</strong></div>
  </div>
  <dl>
    <div><dt>When</dt><dd>{{when}}</dd></div>
    <div><dt>Reported by</dt><dd>{{reportedBy}}</dd></div>
    <div><dt>Injured</dt><dd>{{people.injured}}</dd></div>
    <div><dt>Evacuated</dt><dd>{{people.evacuated}}</dd></div>
  </dl>
</header>
<main>
  <section class="account">{{body_html}}
{{#actions.0}}<h2>Actions</h2>{{/actions.0}}
<table><thead><tr><th>What</th><th>Who</th><th>Until</th></tr></thead><tbody>
{{#actions}}<tr><td>{{what}}</td><td>{{who}}</td><td>{{until}}</td></tr>{{/actions}}
</tbody></table>
  </section>
  <aside>
    {{image "photo"}}
    <h2>Timeline</h2>
    <ol class="timeline">{{#timeline}}<li><time>{{at}}</time>{{what}}</li>{{/timeline}}</ol>
  </aside>
</main>
</body>
</html>
`,
  cssStylesheetTemplate: `@page {
  size: letter;
  margin: 14mm 16mm 18mm;
  @bottom-left { content: "{{template.display_name}} {{reference}} · revision {{report.revision}}"; font: 8pt system-ui, sans-serif; color: #66707a; }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; color: #66707a; }
}
* { box-sizing: border-box; }
html { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
:root { --tone: #a15c00; }
body { margin: 0; font: 10pt/1.48 system-ui, "Helvetica Neue", Arial, sans-serif; color: #1f262c; }
.serious { --tone: #b3261e; } .minor { --tone: #a15c00; } .near-miss { --tone: #2f6d8f; }
.bar { display: flex; justify-content: space-between; font-size: 8.5pt; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; color: #fff; background: var(--tone); padding: 2mm 4mm; border-radius: 1mm; }
.head { display: flex; justify-content: space-between; gap: 10mm; padding: 7mm 0 5mm; }
.kind { margin: 0; color: #66707a; text-transform: uppercase; letter-spacing: .08em; font-size: 8.5pt; }
h1 { margin: 1mm 0 1.5mm; font-size: 22pt; line-height: 1.15; letter-spacing: -.01em; text-wrap: balance; }
.place { margin: 0; color: #454f58; }
.severity { flex: none; align-self: start; border: .6mm solid var(--tone); border-radius: 2mm; padding: 3mm 6mm; text-align: center; }
.severity span { display: block; font-size: 7.5pt; color: #66707a; text-transform: uppercase; letter-spacing: .08em; }
.severity strong { font-size: 14pt; color: var(--tone); text-transform: capitalize; }
dl { margin: 0; display: grid; grid-template-columns: 1.6fr 1.4fr .7fr .7fr; border-block: .3mm solid #cfd5da; }
dl div { padding: 3mm 3mm 3mm 0; }
dt { font-size: 7.5pt; color: #66707a; text-transform: uppercase; letter-spacing: .05em; }
dd { margin: 0; font-weight: 600; }
main { display: grid; grid-template-columns: 1.45fr 1fr; gap: 9mm; padding-top: 6mm; }
h2 { font-size: 12pt; margin: 5mm 0 2mm; color: var(--tone); }
section > h2:first-child { margin-top: 0; }
p { margin: 0 0 2.6mm; }
ul, ol { margin: 0 0 3mm; padding-left: 5mm; }
aside .report-image { margin: 0 0 5mm; }
aside img { border-radius: 1mm; width: 100%; height: 52mm; object-fit: cover; }
.timeline { list-style: none; padding: 0 0 0 5mm; margin: 0; border-left: .5mm solid #d5dade; }
.timeline li { position: relative; padding-bottom: 3mm; font-size: 9.2pt; }
.timeline li::before { content: ""; position: absolute; left: -6.45mm; top: 1.4mm; width: 2.4mm; height: 2.4mm; border-radius: 50%; background: var(--tone); }
time { display: block; font-weight: 650; }
table { width: 100%; border-collapse: collapse; font-size: 9.2pt; break-inside: avoid; }
th { text-align: left; border-bottom: .5mm solid var(--tone); padding: 1.6mm 2mm 1.6mm 0; }
td { border-bottom: .2mm solid #d5dade; padding: 1.8mm 2mm 1.8mm 0; vertical-align: top; }
@media screen { body { max-width: 216mm; margin: 0 auto; padding: 10mm 16mm; } }
`,
};

export const LADDER = {
  title: "Rung of ladder E2 broke under load",
  contentJson: {
    reference: "NPA-2026-014",
    when: "12 October 2026, 10:25",
    severity: "serious",
    reportedBy: "Olav Surveyor, by radio at 10:27",
    people: { injured: 1, evacuated: 3 },
    photo: { documentPath: "photos/ladder.jpg", caption: "Ladder E2 after the incident; the rung hangs by one weld" },
    timeline: [
      { at: "10:25", what: "The rung gives way; the diver falls 1.5 m onto the boat's fender." },
      { at: "10:27", what: "Report by radio. Work is stopped." },
      { at: "10:34", what: "First aid on the pilots' boat: bruised hip, no fracture." },
      { at: "10:50", what: "Ladders E1 to E4 are closed." },
      { at: "11:20", what: "The harbour master releases the berth for boats that need no ladder." },
    ],
    account: `## What happened

During the autumn inspection Ines Diver climbed ladder **E2** from the boat. The sixth rung's left weld broke; she fell about 1.5 m and landed on the
boat's fender. She wore a harness that was not hooked in yet.

## Immediate measures

- Work stopped, three people brought ashore
- All ladders of the eastern face closed with chains and signs
- The broken weld photographed and kept as it is

## First view of the cause

The fracture is rusted over two thirds: an **old crack** that last year's inspection, made from the crest, could not see.
`,
    actions: [
      { what: "Replace ladder E2, test the welds of E1, E3 and E4", who: "Workshop", until: "31 October 2026" },
      { what: "Inspect ladders from the water every year", who: "Surveyor", until: "in force" },
      {
        what: "Hook in before the first rung: instruct all divers",
        who: "Diving supervisor",
        until: "19 October 2026",
      },
    ],
  },
};
