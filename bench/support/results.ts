import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

const FILE = "bench/RESULTS.md";

/** The machine and the date, for the line above a table. */
export const machine = (): string =>
  `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;

/** Rows as a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Replaces the section of a benchmark in bench/RESULTS.md. */
export function writeSection(title: string, body: string): void {
  const old = existsSync(FILE)
    ? readFileSync(FILE, "utf8")
    : "# Benchmarks\n\nEach table is written by its `npm run bench:…`.\n";
  const sections = old.split(/\n(?=## )/).filter((section) => !section.startsWith(`## ${title}\n`));
  writeFileSync(FILE, `${[...sections.map((s) => s.trimEnd()), `## ${title}\n\n${body.trim()}`].join("\n\n")}\n`);
}
