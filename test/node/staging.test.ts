import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { readDatabases, readDeployment } from "../../scripts/service/deployment.mjs";

const page = readFileSync("docs/how-to/upgrade.md", "utf8");
const text = readFileSync("wrangler.toml", "utf8");

/** Every name of something in the account. */
function namesOf(config: string): string[] {
  const read = parse(config) as {
    name: string;
    d1_databases: { database_name: string }[];
    r2_buckets: { bucket_name: string }[];
    queues: { producers: { queue: string }[]; consumers: { queue: string; dead_letter_queue?: string }[] };
  };
  const { producers, consumers } = read.queues;
  return [
    read.name,
    ...read.d1_databases.map(({ database_name }) => database_name),
    ...read.r2_buckets.map(({ bucket_name }) => bucket_name),
    ...producers.map(({ queue }) => queue),
    ...consumers.flatMap(({ queue, dead_letter_queue: dead }) => (dead === undefined ? [queue] : [queue, dead])),
  ];
}

test("the second service of the page shares no name with the first, and the commands reach its database", () => {
  const [, from = "", to = ""] = /sed -i 's\/([\w-]+)\/([\w-]+)\/' wrangler\.toml/.exec(page) ?? [];
  const staging = text.replaceAll(new RegExp(`^(.*?)${from}`, "gm"), `$1${to}`);
  const [own, theirs] = [namesOf(text), namesOf(staging)];
  expect(own.length).toBeGreaterThan(15);
  expect(theirs).toEqual(own.map((name) => name.replace(from, to)));
  expect(theirs.filter((name) => own.includes(name))).toEqual([]);
  // The Worker knows a queue by the end of its name.
  expect(theirs.filter((name) => name.endsWith("-jobs")).length).toBe(
    own.filter((name) => name.endsWith("-jobs")).length,
  );
  expect(readDeployment(staging).database).toMatchObject({ database_name: to });
  expect(readDatabases(staging).directory.entry).toMatchObject({ database_name: to });
  expect(page).toContain(`Reaching database ${to} …`.slice(0, 30));
});
