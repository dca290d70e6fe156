import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

/** The lines of a TypeScript text that the linter refuses, with its rules as the project sets them. */
async function refusedLines(text: string): Promise<number[]> {
  mkdirSync(join(ROOT, ".build"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".build/lint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const include = ["seeded.ts", "../../worker-configuration.d.ts"];
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../../tsconfig.json", include }));
  writeFileSync(join(folder, "seeded.ts"), text);
  const given = ["--no-ignore", "-c", ".oxlintrc.json", "-f", "unix", join(folder, "seeded.ts")];
  const program = join(ROOT, "node_modules/oxlint/bin/oxlint");
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...given], { cwd: ROOT }).catch(
    (thrown: { stdout: string }) => thrown,
  );
  return [...new Set([...stdout.matchAll(/seeded\.ts:(\d+):\d+: .*promises?\)/g)].map(([, line]) => Number(line)))];
}

const HEAD = `import type { Context } from "../../src/platform/context";
import { beginChange } from "../../src/platform/db/change";
import { NO_WORKSPACE } from "../../src/platform/db/residence";
import { jobs } from "../../src/platform/jobs/tables";
const load = async (context: Context) => context.objects.head("key");
const listen = (work: () => void) => work();
export async function seeded(context: Context, env: Cloudflare.Env, given: { close?: () => Promise<void> }) {
`;

/** Forms of a missing `await`. */
const SEEDED = [
  `beginChange(context, NO_WORKSPACE).commit();`,
  `context.objects.head("key").then(() => 1);`,
  `env.DB.prepare("SELECT ?").bind(1).run();`,
  `env.JOBS.send({});`,
  `env.JOB_SWEEPER.get(env.JOB_SWEEPER.idFromName("sweeper")).fetch("http://sweeper");`,
  `context.workspace.select().from(jobs);`,
  `[1, 2].map(async () => load(context));`,
  `[1, 2].forEach(async () => void (await load(context)));`,
  `given.close?.();`,
  `if (context.caller.kind === "system" && load(context)) given.close = undefined;`,
  `setTimeout(async () => load(context), 5);`,
  `listen(async () => void (await load(context)));`,
  `Promise.all([load(context)]);`,
];

const RIGHT = [
  `await beginChange(context, NO_WORKSPACE).commit();`,
  `context.background(load(context));`,
  `void load(context).catch(() => undefined);`,
  `listen(() => void load(context));`,
];

test("a missing await is found in every form, and a right call is not", async () => {
  const first = HEAD.split("\n").length;
  const lines = await refusedLines(`${HEAD}${[...SEEDED, ...RIGHT].join("\n")}\n}\n`);
  expect(lines.sort((a, b) => a - b)).toEqual(SEEDED.map((_, at) => first + at));
});
