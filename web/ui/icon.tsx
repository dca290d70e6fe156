/** Line icons on a grid of 24 px. */
const PATHS = {
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4",
  pin: "M12 21s7-6 7-11a7 7 0 0 0-14 0c0 5 7 11 7 11zM12 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  text: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  code: "M9 8l-4 4 4 4M15 8l4 4-4 4",
  left: "M15 5l-7 7 7 7",
  down: "M5 9l7 7 7-7",
  up: "M5 15l7-7 7 7",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  upload: "M12 16V5M7 9l5-5 5 5M5 20h14",
  check: "M5 12l5 5 9-10",
  x: "M6 6l12 12M18 6L6 18",
  alert: "M12 4l9 16H3zM12 10v5M12 17.5v.5",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
  archive: "M4 5h16v4H4zM5 9v10h14V9M10 13h4",
  mail: "M4 6h16v12H4zM4 7l8 6 8-6",
  folder: "M3 6h7l2 2h9v11H3z",
  grid: "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 8.5v.5",
  plus: "M12 5v14M5 12h14",
  offline: "M3 3l18 18M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-6-2.9M8 15.5a6 6 0 0 1 6-1M12 19.5v.5",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  undo: "M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3",
  retry: "M20 11a8 8 0 1 0-2 6M20 5v6h-6",
  note: "M4 5h16v11h-9l-4 4v-4H4z",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M18.4 5.6l-2.1 2.1M7.7 16.3l-2.1 2.1",
  people:
    "M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 20a6.5 6.5 0 0 1 13 0M16 5.3a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  camera: "M3 8h11v8H3zM14 11l6-3v8l-6-3",
  pause: "M8 5v14M16 5v14",
  play: "M8 5l11 7-11 7z",
  share: "M12 15V4M8 8l4-4 4 4M6 12v8h12v-8",
  right: "M9 5l7 7-7 7",
  gapLeft: "M6 5v14M18 5l-7 7 7 7",
  gapRight: "M18 5v14M6 5l7 7-7 7",
  minus: "M5 12h14",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M18 10h.01M7 14h10",
  calendar: "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 7.5v.5",
  copy: "M8 8h11v12H8zM5 16V4h11",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  split: "M12 3v18M4 6h5v12H4M20 6h-5v12h5",
  film: "M4 5h16v14H4zM8 5v14M16 5v14M4 10h4M4 14h4M16 10h4M16 14h4",
  expand: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  zoom: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4M11 8v6M8 11h6",
  gap: "M4 6v12M20 6v12M8 12h.01M12 12h.01M16 12h.01",
  report: "M6 3h8l4 4v14H6zM14 3v4h4M9 17v-3M12 17v-6M15 17v-2",
  pen: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  bold: "M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z",
  italic: "M10 5h8M6 19h8M14 5l-4 14",
  heading: "M6 5v14M18 5v14M6 12h12",
  list: "M9 6h11M9 12h11M9 18h11M4.5 6v.01M4.5 12v.01M4.5 18v.01",
  table: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14",
} as const;

export type IconName = keyof typeof PATHS;

/** Icons that point along the text. They are mirrored where people read from right to left. */
const ALONG: ReadonlySet<IconName> = new Set(["left", "right", "list", "text"]);

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={ALONG.has(name) ? "icon along" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <path fill="currentColor" d="M4 27V9l8 9V5h4v22l-8-9v9zM20 5h4v14l4-4v6l-8 6z" />
    </svg>
  );
}
