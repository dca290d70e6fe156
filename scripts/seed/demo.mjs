/**
 * The content of the demo: a port authority with two harbours. The bytes of its documents are in `documents/`. Some
 * documents are uploaded by the member, so that the owner's inbox tells of them.
 */
export const ORGANIZATION = "Northwick Port Authority";

/** More organizations of the owner, for a service with several databases. */
export const NEIGHBOURS = [
  { name: "Northwick Pilots", cluster: "Pilot stations", location: "Pilots' house" },
  { name: "Northwick Sailing Club", cluster: "Marina", location: "Slipway of the club" },
  { name: "Ferries of the Sound", cluster: "Terminals", location: "Ticket office" },
  { name: "Northwick Dredging", cluster: "Fairways", location: "Western fairway" },
  { name: "Lighthouse Museum", cluster: "Exhibitions", location: "Hall of lenses" },
];

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
          {
            path: "inspections",
            fileName: "Harbour inspection 2026.pdf",
            source: "inspection.pdf",
            contentType: "application/pdf",
            byMember: true,
          },
          {
            path: "inspections",
            fileName: "Findings of the divers.docx",
            source: "divers.docx",
            contentType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
          },
          {
            path: "inspections/web",
            fileName: "Inspection for the website.html",
            source: "website.html",
            contentType: "text/html",
          },
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
          { path: "mail", fileName: "Lighthouse keys.eml", source: "keys.eml", contentType: "message/rfc822" },
          { path: "", fileName: "Storm procedures.md", source: "storm.md", contentType: "text/markdown" },
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
            fileName: "Vessels and tonnage.xlsx",
            source: "figures.xlsx",
            byMember: true,
            contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
          },
          { path: "figures", fileName: "Vessels.csv", source: "vessels.csv", contentType: "text/csv" },
          {
            path: "talks",
            fileName: "Plans for the marina.pptx",
            source: "marina.pptx",
            contentType: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
          },
        ],
        annotations: [],
      },
    ],
  },
  {
    name: "Harbour works",
    description: "The new terminal at quay 7, with the yard, the dry dock and the outer harbour.",
    locations: [
      {
        name: "Quay 7",
        description: "The new terminal: three berths, two cranes, the site office.",
        address: "Quay street 70, Northwick",
        latitude: 59.8972,
        longitude: 10.7468,
        timeZone: "Europe/Oslo",
        documents: [],
        annotations: [
          {
            kind: "defect",
            title: "Handrail missing, stair B, level 5",
            body: "Seen from the crane. The stair is closed until it is there.",
            position: { latitude: 59.8973, longitude: 10.747 },
          },
        ],
      },
      {
        name: "Dry dock 2",
        description: "The slipway and its gate.",
        latitude: 59.8959,
        longitude: 10.7512,
        timeZone: "Europe/Oslo",
        documents: [],
        annotations: [],
      },
      {
        name: "Yard west",
        description: "Container stacks and the gate for staff.",
        latitude: 59.8966,
        longitude: 10.7421,
        timeZone: "Europe/Oslo",
        documents: [],
        annotations: [],
      },
      {
        name: "Outer harbour",
        description: "The end of the mole and the fairway.",
        latitude: 59.9012,
        longitude: 10.7287,
        timeZone: "Europe/Oslo",
        documents: [],
        annotations: [],
      },
    ],
  },
];

/** A search whose first result is on a page of a PDF. */
export const FIRST_SEARCH = "sapphire lens";
