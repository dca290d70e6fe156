/** The cameras of the demo and what happened to them. Hours are hours of the harbour's clock. */
export const TIME_ZONE = "Europe/Oslo";

const SIZE = { captureWidth: 1280, captureHeight: 720, jpegQuality: 80, timeZone: TIME_ZONE };
const settings = (location, name, description, more = {}) => ({ location, name, description, ...SIZE, ...more });

/**
 * `pictures` are file names by the hour until which they fit. A `live` camera has a device that sends from now on. `gaps` are
 * [cause, days ago, from hour, to hour]: an hour beyond 24 is on the next day. A camera that is not live is `ended` by a
 * cause some hours ago.
 * @type {{ settings: ReturnType<typeof settings> & Record<string, unknown>, days: number, live?: true,
 *   pictures: "crane" | [until: number, name: string][], gaps?: [cause: string, daysAgo: number, from: number, to: number][],
 *   ended?: { cause: "offline" | "camera-fault" | "late" | "paused" | "window", hoursAgo: number } }[]}
 */
export const CAMERAS = [
  {
    settings: settings("Quay 7", "Crane east", "The new terminal from the tower crane."),
    days: 4,
    live: true,
    pictures: "crane",
    gaps: [
      ["offline", 1, 21.7, 29.1],
      ["paused", 2, 9, 15.3],
      ["camera-fault", 3, 14.8, 17.5],
    ],
  },
  {
    settings: settings("Quay 7", "Gate north", "The gate for lorries."),
    days: 1,
    pictures: [
      [7, "c-gatenight"],
      [11, "c-gate"],
      [15.5, "c-gate-noon"],
      [17.2, "c-gate-sunset"],
      [24, "c-gatenight"],
    ],
    ended: { cause: "offline", hoursAgo: 9 },
  },
  {
    settings: settings("Dry dock 2", "Slipway", "The slipway with the dock gate."),
    days: 1,
    pictures: [
      [7, "c-slip-night"],
      [14, "c-slip-morning"],
      [17.2, "c-slip"],
      [24, "c-slip-night"],
    ],
    ended: { cause: "camera-fault", hoursAgo: 3 },
  },
  {
    settings: settings("Quay 7", "Berth 3", "Ships at the third berth."),
    days: 1,
    pictures: [
      [7, "c-berth-night"],
      [12, "c-berth-morning"],
      [15.5, "c-berth"],
      [17.2, "c-berth-sunset"],
      [24, "c-berth-night"],
    ],
    ended: { cause: "late", hoursAgo: 0.8 },
  },
  {
    settings: settings("Quay 7", "Jib camera", "The hook of the tower crane."),
    days: 1,
    live: true,
    pictures: [
      [7, "c-jib-night"],
      [13.5, "c-jib"],
      [17.2, "c-jib-late"],
      [24, "c-jib-night"],
    ],
  },
  {
    settings: settings("Yard west", "Container yard", "The stacks between the rails."),
    days: 1,
    live: true,
    pictures: [
      [7, "c-yard-night"],
      [11, "c-yard-morning"],
      [17.2, "c-yard"],
      [24, "c-yard-night"],
    ],
  },
  {
    settings: settings("Outer harbour", "Breakwater", "The outer end of the mole.", { captureIntervalMinutes: 30 }),
    days: 1,
    live: true,
    pictures: [
      [7, "c-break-night"],
      [10, "c-break"],
      [17.2, "c-break-noon"],
      [24, "c-break-night"],
    ],
    gaps: [["offline", 0, 4, 6.2]],
  },
  {
    settings: settings("Outer harbour", "Far shore", "The fairway seen from the west.", { captureIntervalMinutes: 30 }),
    days: 1,
    live: true,
    pictures: [
      [7, "c-west-night"],
      [10, "c-west"],
      [17.2, "c-west-morning"],
      [24, "c-west-night"],
    ],
  },
  {
    settings: settings("Quay 7", "Site overview", "The whole site from the office roof."),
    days: 1,
    live: true,
    pictures: [
      [7, "c-wide-night"],
      [9.5, "c-wide-dawn"],
      [15, "c-wide"],
      [17.2, "c-wide-sunset"],
      [24, "c-wide-night"],
    ],
  },
  {
    settings: settings("Quay 7", "Site office", "The entrance of the site office.", { isPaused: true }),
    days: 3,
    pictures: [[24, "c-office"]],
    ended: { cause: "paused", hoursAgo: 52 },
  },
  {
    settings: settings("Yard west", "Gate south", "The gate for staff.", {
      captureWindow: { start: "07:00", end: "16:30" },
    }),
    days: 1,
    live: true,
    pictures: [
      [11, "c-gate"],
      [15.5, "c-gate-noon"],
      [24, "c-gate-sunset"],
    ],
  },
];
