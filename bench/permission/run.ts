import { startVitest } from "vitest/node";
import { machine, table, writeSection } from "../support/results.ts";

const number = (value: unknown): string => (typeof value === "number" ? value.toLocaleString("en-US") : "?");

const vitest = await startVitest("test", [], { config: "bench/permission/vitest.config.mts", watch: false });
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const failed = tests.length !== 2 || tests.some((test) => test.result().state !== "passed");
if (!failed)
  writeSection(
    "Permission",
    `${machine()}. Random worlds of people, organizations, roles, overrides, grants, expiries, tokens, ceilings and
entitlements; every answer of the evaluator compared with a plain reading of the contract, in workerd.

${table(
  ["comparison", "worlds", "answers", "differences", "time"],
  tests.map((test) => {
    const { worlds, decisions } = test.meta();
    return [
      test.name,
      number(worlds),
      number(decisions),
      "0",
      `${((test.diagnostic()?.duration ?? 0) / 1_000).toFixed(0)} s`,
    ];
  }),
)}`,
  );
await vitest.close();
process.exit(failed ? 1 : 0);
