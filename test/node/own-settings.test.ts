import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "smol-toml";
import { afterEach, describe, expect, test } from "vitest";
import { readDatabases, readDeployment } from "../../scripts/service/deployment.mjs";
import { configurationWith, deployedConfig, ownFileOf } from "../../scripts/service/own-settings.mjs";

const text = readFileSync("wrangler.toml", "utf8");

interface Config {
  name: string;
  vars: Record<string, string>;
  d1_databases: { binding: string; database_name: string; database_id?: string }[];
  r2_buckets: { binding: string; bucket_name: string; jurisdiction?: string }[];
  queues: {
    producers: { queue: string }[];
    consumers: { queue: string; dead_letter_queue?: string; max_concurrency: number }[];
  };
  observability: { enabled: boolean; head_sampling_rate: number };
  compatibility_flags: string[];
}

const configOf = (own: string): Config => configurationWith(text, own);

/** Every name of something in the account. */
function namesOf({ name, d1_databases, r2_buckets, queues: { producers, consumers } }: Config): string[] {
  return [
    name,
    ...d1_databases.map(({ database_name }) => database_name),
    ...r2_buckets.map(({ bucket_name }) => bucket_name),
    ...producers.map(({ queue }) => queue),
    ...consumers.flatMap(({ queue, dead_letter_queue: dead }) => (dead === undefined ? [queue] : [queue, dead])),
  ];
}

describe("the settings of an operator", () => {
  test("without any, the configuration is that of the project", () => {
    expect(configOf("")).toEqual(parse(text));
  });

  test("replace single values and leave all others", () => {
    const config = configOf(`
      compatibility_flags = ["nodejs_compat"]
      [vars]
      PUBLIC_BASE_URL = "https://docs.example.org"
      MAIL = "on"
      [observability]
      head_sampling_rate = 0.1
    `);
    expect(config.vars).toEqual({
      PUBLIC_BASE_URL: "https://docs.example.org",
      REGISTRATION: "invite",
      OBJECT_STORE: "worker",
      MAIL: "on",
    });
    expect(config.observability).toEqual({ enabled: true, head_sampling_rate: 0.1 });
    expect(config.compatibility_flags).toEqual(["nodejs_compat"]);
    expect(namesOf(config)).toEqual(namesOf(configOf("")));
  });

  test("change an entry of a list by its binding or queue, and add new ones", () => {
    const config = configOf(`
      [[d1_databases]]
      binding = "DB"
      database_id = "5d6f"
      [[d1_databases]]
      binding = "DB_SECOND"
      database_name = "second"
      [[queues.consumers]]
      queue = "document-workspace-printing-jobs"
      max_concurrency = 9
      [[send_email]]
      name = "MAILER"
    `);
    expect(config.d1_databases).toEqual([
      { binding: "DB", database_name: "document-workspace", migrations_dir: "migrations", database_id: "5d6f" },
      { binding: "DB_SECOND", database_name: "second" },
    ]);
    const before = configOf("").queues.consumers;
    expect(config.queues.consumers).toEqual(
      before.map((one) => (one.queue === "document-workspace-printing-jobs" ? { ...one, max_concurrency: 9 } : one)),
    );
    expect(config).toMatchObject({ send_email: [{ name: "MAILER" }] });
  });

  test("with another name share no name with the first deployment, and the commands reach their database", () => {
    const to = "document-workspace-staging";
    const staging = configOf(`name = "${to}"`);
    const [own, theirs] = [namesOf(configOf("")), namesOf(staging)];
    expect(own.length).toBeGreaterThan(15);
    expect(theirs).toEqual(own.map((name) => name.replace("document-workspace", to)));
    expect(theirs.filter((name) => own.includes(name))).toEqual([]);
    // The Worker knows a queue by the end of its name.
    expect(theirs.filter((name) => name.endsWith("-jobs")).length).toBe(
      own.filter((name) => name.endsWith("-jobs")).length,
    );
  });

  test("keep a name that they give themselves", () => {
    const config = configOf(`name = "files"\n[[r2_buckets]]\nbinding = "BUCKET"\nbucket_name = "document-workspace"`);
    expect(config.r2_buckets).toEqual([{ binding: "BUCKET", bucket_name: "document-workspace" }]);
    expect(config.d1_databases[0]?.database_name).toBe("files");
  });

  test.each([
    ["name = ", "deployment.toml is not valid TOML"],
    ['[[migrations]]\ntag = "v9"', "they belong to the project"],
    ["[env.staging]", "they belong to the project"],
  ])("are refused if they cannot be used: %s", (own, message) => {
    expect(() => configOf(own)).toThrow(message);
  });
});

describe("a named deployment", () => {
  const name = `test-${process.pid}`;
  const file = ownFileOf(name);
  afterEach(() => {
    rmSync(file, { force: true });
    rmSync(`.build/deployments/${name}.toml`, { force: true });
  });

  test("is refused without a file, without a name of its own, and with a name that is no word", () => {
    expect(() => deployedConfig(name)).toThrow(`there is no file deployment.${name}.toml`);
    writeFileSync(file, "[vars]\n");
    expect(() => deployedConfig(name)).toThrow("is another deployment");
    expect(() => deployedConfig("../elsewhere")).toThrow("DEPLOYMENT is");
  });

  test("has a file that wrangler reads, with the resources of its name alone", async () => {
    writeFileSync(file, `name = "trial"\n[vars]\nPUBLIC_BASE_URL = "https://trial.example.org"\n`);
    const written = deployedConfig(name);
    const { unstable_readConfig: readConfig } = await import("wrangler");
    const [read, project] = [readConfig({ config: written }), readConfig({ config: "wrangler.toml" })];
    expect(read).toMatchObject({ name: "trial", vars: { PUBLIC_BASE_URL: "https://trial.example.org" } });
    expect(read.queues.consumers?.map(({ queue }: { queue: string }) => queue)).toContain("trial-printing-jobs");
    // Its paths lead to the same files.
    for (const key of ["main", "migrations", "durable_objects", "limits"] as const)
      expect(read[key], key).toEqual(project[key]);
    const absolute = Object.entries<string>(project.alias ?? {}).map(([from, to]) => [from, resolve(to)]);
    expect(read.alias).toEqual(Object.fromEntries(absolute));
    expect(read.assets).toEqual({ ...project.assets, directory: resolve(project.assets?.directory ?? "") });
    const found = readFileSync(written, "utf8");
    expect(found.replaceAll(resolve("."), "")).not.toContain("document-workspace");
    expect(readDeployment(found)).toMatchObject({ database: { database_name: "trial" } });
    expect(readDatabases(found).directory.entry).toMatchObject({
      database_name: "trial",
      migrations_dir: resolve("migrations"),
    });
  });
});

test("git does not track the settings of an operator", () => {
  expect(readFileSync(".gitignore", "utf8").split("\n")).toContain("deployment*.toml");
});
