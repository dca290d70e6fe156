/** The content of the demo: a port authority with two harbours. Its files are those of the tests. */
export const ORGANIZATION = "Northwick Port Authority";

export const PEOPLE = {
  owner: { email: "astrid@northwick.example", displayName: "Astrid Keeper" },
  member: { email: "olav@northwick.example", displayName: "Olav Surveyor", role: "member" },
  guest: { email: "ines@contractor.example", displayName: "Ines Diver", role: "guest" },
};

export const CLUSTERS = [
  {
    name: "Northern harbour",
    description: "Breakwater, lighthouse and the pilots' house.",
    locations: [
      {
        name: "Northern breakwater",
        description: "Twelve caissons, inspected every October.",
        sharedWithGuest: { LocationView: "Read", Documents: "Read" },
        address: "Mole 1, Northwick",
        latitude: 59.9046,
        longitude: 10.7353,
        timeZone: "Europe/Oslo",
        documents: [
          { path: "inspections", fileName: "report.pdf", contentType: "application/pdf" },
          {
            path: "inspections",
            fileName: "report.docx",
            contentType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
          },
          { path: "inspections/web", fileName: "report.html", contentType: "text/html" },
        ],
        annotations: [
          {
            kind: "defect",
            title: "Hairline cracks at caisson three",
            body: "Above the waterline, none wider than a fingernail. Observe quarterly.",
            position: { latitude: 59.9047, longitude: 10.7356 },
          },
        ],
      },
      {
        name: "Lighthouse",
        description: "Sapphire lens, one turn in nine seconds.",
        latitude: 59.9061,
        longitude: 10.7301,
        timeZone: "Europe/Oslo",
        documents: [
          { path: "mail", fileName: "keys.eml", contentType: "message/rfc822" },
          { path: "", fileName: "notes.md", contentType: "text/markdown" },
        ],
        annotations: [
          {
            kind: "note",
            title: "Foghorn wanted before winter",
            body: "The keeper asks for a new one.",
            position: { x: 2.5, y: 0.5, z: 18 },
          },
        ],
      },
    ],
  },
  {
    name: "Southern harbour",
    description: "Ferries and the fish market.",
    locations: [
      {
        name: "Ferry quay",
        description: "Two berths with a linkspan each.",
        address: "Quay street 12, Northwick",
        latitude: 59.8991,
        longitude: 10.7411,
        timeZone: "Europe/Oslo",
        documents: [
          {
            path: "figures",
            fileName: "figures.xlsx",
            contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
          },
          { path: "figures", fileName: "vessels.csv", contentType: "text/csv" },
          {
            path: "talks",
            fileName: "talk.pptx",
            contentType: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
          },
        ],
        annotations: [],
      },
    ],
  },
];

/** Cameras of the demo. Each draws a different scene. */
export const CAMERAS = [
  {
    location: "Northern breakwater",
    name: "Breakwater, building site",
    description: "The new pilots' house from the mole.",
    captureWidth: 1280,
    captureHeight: 720,
    jpegQuality: 80,
    timeZone: "Europe/Oslo",
  },
  {
    location: "Ferry quay",
    name: "Ferry quay, terminal",
    description: "The terminal's second stage.",
    captureWidth: 1280,
    captureHeight: 720,
    jpegQuality: 80,
    timeZone: "Europe/Oslo",
  },
];

/** A search whose first result is on a page of a PDF. */
export const FIRST_SEARCH = "sapphire lens";
