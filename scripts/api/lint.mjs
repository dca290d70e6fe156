import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createConfig, formatProblems, getTotals, lint } from "@redocly/openapi-core";
import { main, Refusal, ROOT } from "../setup/project.mjs";
import { describeApi } from "./describe.mjs";
import { breaksBetween, surfaceOf } from "./surface.mjs";

/** What the last release has published. */
const PUBLISHED = join(ROOT, "test/fixtures/releases/api.txt");
const FILE = join(ROOT, ".build/api/openapi.json");

/** The linter's recommended rules, all as errors. The exceptions have their reasons. */
const RULES = {
  // The service is private, and each installation has another address.
  "info-license": "off",
  "no-empty-servers": "off",
  // Liveness, sign-in and other routes without a credential: test/platform/openapi.test.ts lists them.
  "security-defined": "off",
  // Every operation answers problems under `default`.
  "operation-4xx-response": "off",
  // The router prefers a literal segment to a parameter, and ids are UUIDs.
  "no-ambiguous-paths": "off",
  "operation-operationId": "error",
  "operation-operationId-unique": "error",
  "operation-operationId-url-safe": "error",
  "operation-description": "off",
  "no-invalid-schema-examples": "error",
  "no-invalid-media-type-examples": "error",
  "no-invalid-parameter-examples": "error",
  "no-unused-components": "error",
  "tag-description": "error",
  "operation-tag-defined": "error",
};

/**
 * Refuses a break of the published API, unless the unreleased part of the changelog names its operation, such as
 * `GET /v1/tags`, under "Removed".
 */
function compare(surface) {
  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  const [, unreleased = ""] = changelog.split(/^## /m);
  const [, removed = ""] = unreleased.split(/^### Removed$/m);
  const published = readFileSync(PUBLISHED, "utf8").trimEnd().split("\n");
  const breaks = breaksBetween(published, surface).filter((line) => {
    const [, operation = ""] = /: ([A-Z]+ \S+)/.exec(line) ?? [];
    return !removed.split(/^### /m)[0].includes(`\`${operation}\``);
  });
  if (breaks.length > 0)
    throw new Refusal(
      `Clients of the last release would break. Keep what is published, or declare it in CHANGELOG.md under "Removed":\n${breaks.join("\n")}`,
    );
  console.log(`The API keeps all ${published.length} published lines, and has ${surface.length}.`);
}

/**
 * `npm run lint:api [-- --publish]`: checks the service's OpenAPI description with Redocly's rules, and compares it with the
 * last release. A release writes its own with --publish. It uses no network.
 */
main(async () => {
  const description = await describeApi();
  mkdirSync(join(ROOT, ".build/api"), { recursive: true });
  writeFileSync(FILE, JSON.stringify(description, null, 2));
  const config = await createConfig({ extends: ["recommended"], rules: RULES, telemetry: "off" });
  const problems = await lint({ ref: FILE, config });
  const totals = getTotals(problems);
  formatProblems(problems, { format: "stylish", totals, version: "", cwd: ROOT, maxProblems: 100 });
  if (totals.errors + totals.warnings > 0) throw new Refusal("The API description has the problems above.");
  const surface = surfaceOf(description);
  if (process.argv.includes("--publish")) writeFileSync(PUBLISHED, `${surface.join("\n")}\n`);
  compare(surface);
  console.log(`The API description has no problems: ${Object.keys(description.paths).length} paths.`);
});
