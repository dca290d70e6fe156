const UNITS = ["B", "kB", "MB", "GB"];

/** A size for people: "8.4 MB". */
export function sizeOf(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  return `${value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${UNITS[unit]}`;
}

const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** A moment in the clock of the person. */
export const timeOf = (utc: string): string => DATE.format(new Date(utc));

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** The time of day in the clock of the person: "15:32". */
export const clockOf = (moment: Date): string => CLOCK.format(moment);

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** The day in the clock of the person: "20 Nov 2026". */
export const dayOf = (moment: Date): string => DAY.format(moment);

/** The first letters of a name: "AL" for Ada Lovelace. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? "")
    .join("")
    .toUpperCase();

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&#x27;": "'",
};

/** The parts of a snippet, which the service gives as escaped HTML with marks. */
export function snippetParts(html: string): { text: string; marked: boolean }[] {
  return html
    .split(/(<mark>.*?<\/mark>)/s)
    .filter((part) => part !== "")
    .map((part) => ({
      marked: part.startsWith("<mark>"),
      text: part
        .replace(/<\/?mark>/g, "")
        .replace(/&(amp|lt|gt|quot|#39|#x27);/g, (entity) => ENTITIES[entity] ?? entity),
    }));
}
