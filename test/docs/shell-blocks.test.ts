import { describe, expect, test } from "vitest";

/*
 * The shell blocks of the documentation run unchanged in bash on Linux and on macOS: no command or option that GNU
 * alone has, nothing of Linux's /proc, and no comment that ends a paste.
 */

const pages = import.meta.glob<string>(["../../README.md", "../../CONTRIBUTING.md", "../../docs/**/*.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Commands and options that only GNU or Linux has, each with a replacement. */
const GNU_ONLY: readonly [pattern: RegExp, instead: string][] = [
  [/\bstat -c/, "wc -c < file"],
  [/\b(sha\d+|md5)sum\b/, "shasum -a 256"],
  [/\/proc\b/, "node -p"],
  [/\buuidgen\b/, "node -p 'crypto.randomUUID()'"],
  [/\breadlink -f\b|\brealpath\b/, "pwd"],
  [/\bsed -i\b|\bsed -r\b/, "sed -E to another file"],
  [/\bdate (-u )?(-d|--date|\+\S*%(N|:z))/, "node -p"],
  [/\bgrep -\w*P/, "grep -E"],
  [/\bbase64 (-w|--wrap)/, "base64 | tr -d '\\n'"],
  [/\bhead -[cn] -\d|\btac\b|\bnumfmt\b|\btimeout \d|\bsort -V\b|\bxargs -r\b|\bcp -a\b|\bmktemp --/, "a plain loop"],
  [/\b(apt|apt-get|yum|dnf|systemctl)\b/, "words"],
  [/\bdeclare -A\b|\bmapfile\b|\breadarray\b|\$\{\w+(,,|\^\^)\}/, "what bash 3.2 has"],
];

interface Block {
  where: string;
  lines: string[];
}

/** Fenced blocks of shell commands, those within lists too. */
const blocksOf = (page: string, text: string): Block[] =>
  [...text.matchAll(/^( *)```(?:sh|bash|shell|console)\n([\s\S]*?)^ *```$/gm)].map(([, , body = ""], i) => ({
    where: `${page.replace("../../", "")}, block ${i + 1}`,
    lines: body.split("\n"),
  }));

/** A comment on its own line, or behind a command. */
const commentOf = (line: string): string => /(?:^|\s)#\s(.*)$/.exec(line)?.[1] ?? "";

function faultsOf({ where, lines }: Block): string[] {
  return lines.flatMap((line) => [
    ...GNU_ONLY.filter(([pattern]) => pattern.test(line)).map(([, instead]) => `${where}: ${line.trim()} → ${instead}`),
    ...(/["'`!?*]/.test(commentOf(line)) ? [`${where}: a comment with a quote or pattern: ${line.trim()}`] : []),
  ]);
}

const blocks = Object.entries(pages).flatMap(([page, text]) => blocksOf(page, text));

describe("shell blocks of README and docs", () => {
  test("are found", () => {
    expect(blocks.length).toBeGreaterThan(5);
    const found = blocks.map(({ where }) => where).join();
    for (const page of ["README", "cameras", "write-a-device", "how-to", "tutorial"]) expect(found).toContain(page);
  });

  test("use nothing that GNU or Linux alone has", () => {
    expect(blocks.flatMap(faultsOf)).toEqual([]);
  });

  test("faulty lines are found", () => {
    const faulty = ["stat -c %s x", "sha256sum x", "cat /proc/uptime", "date -d now", "date +%N", "x # it's"];
    for (const line of faulty) expect([line, faultsOf({ where: "", lines: [line] })]).not.toEqual([line, []]);
    const fine = ["wc -c < x", "shasum -a 256 x", "date -u +%FT%T.000Z", "# Pair.", 'grep -E "a|b" x'];
    for (const line of fine) expect(faultsOf({ where: "", lines: [line] })).toEqual([]);
  });

  test("Windows is sent to WSL, and every page to bash", () => {
    const readme = pages["../../README.md"] ?? "";
    expect(readme).toMatch(/Windows[^.\n]*WSL/);
    expect(readme).toMatch(/macOS[^.\n]*`bash`/);
  });
});
