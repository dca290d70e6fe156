/** Daily progress with photos: it has no layout, so the default wrapper shows the fields and the body. */
export const DAILY = {
  key: "daily-progress",
  displayName: "Daily progress",
  bodyFieldPath: "notes",
  contentTemplateJson: {
    date: "",
    shift: "",
    weather: "",
    peopleOnSite: 0,
    progress: [{ activity: "", planned: "", done: "", remarks: "" }],
    deliveries: [{ time: "", supplier: "", goods: "", note: "" }],
    photos: [],
    notes: "# What was done\n\n# What holds us up\n\n# Tomorrow\n",
  },
  htmlLayoutTemplate: "",
  cssStylesheetTemplate: `.report-gallery { grid-template-columns: 1fr 1fr; }
.report-gallery figcaption { font-weight: 500; }
`,
};

export const QUAY_DAY = {
  title: "Ferry quay, 19 November 2026",
  contentJson: {
    date: "19 November 2026",
    shift: "Day, 07:00–16:30",
    weather: "Dry, 4 °C, wind north 3",
    peopleOnSite: 14,
    progress: [
      { activity: "Reinforcement, deck slab B", planned: "100 %", done: "100 %", remarks: "Accepted at 13:10" },
      { activity: "Concrete, deck slab B", planned: "38 m³", done: "24 m³", remarks: "Pump stopped for 50 minutes" },
      { activity: "Fender brackets", planned: "6", done: "6", remarks: "Torque checked" },
      { activity: "Linkspan bearing", planned: "Survey", done: "Survey", remarks: "Within 2 mm" },
    ],
    deliveries: [
      { time: "07:40", supplier: "Northwick Concrete", goods: "24 m³ C35/45", note: "Slump 170 mm" },
      { time: "11:15", supplier: "Steelworks Lund", goods: "Bracket bolts M24", note: "Certificates in the library" },
    ],
    photos: [
      { documentPath: "photos/pour.jpg", caption: "Slab B before the pour, 12:40" },
      { documentPath: "photos/quay.jpg", caption: "Berth one stays open to traffic" },
      { documentPath: "photos/fender.jpg", caption: "Brackets for fenders 6 to 8" },
      { documentPath: "photos/breakwater.jpg", caption: "Sea state at noon" },
    ],
    notes: `# What was done

The reinforcement of **deck slab B** was finished and accepted in the morning. Pouring began at 13:30 and reached axis 7. All six fender brackets
of berth two are mounted.

> The pump's hydraulic hose burst at 14:50. A spare was on site; no concrete was lost.

# What holds us up

1. The remaining 14 m³ need a new slot at the plant.
2. The ferry line asks for quiet between 12:00 and 12:30 on Saturday.

# Tomorrow

- [ ] Pour axes 7 to 11, from 08:00
- [ ] Cure and cover what was poured today
- [x] Night watch arranged
`,
  },
};
