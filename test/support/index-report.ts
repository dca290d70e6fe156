import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Reporter, TestModule, TestSpecification, Vitest } from "vitest/node";

/** The indexes of the migrations. A unique index is a rule, so it serves without a statement that reads it. */
function indexesOfMigrations(): string[] {
  const database = new DatabaseSync(":memory:");
  for (const file of readdirSync("migrations").sort()) database.exec(readFileSync(`migrations/${file}`, "utf8"));
  const rows = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT LIKE 'CREATE UNIQUE%' ORDER BY name")
    .all();
  database.close();
  return rows.map(({ name }) => String(name));
}

/**
 * Fails a run of the whole suite if an index serves no statement of the service. `query-plans` collects the indexes that
 * each file's statements read. `INDEX_LIST=file` writes each index with one statement that reads it.
 */
export default class IndexReport implements Reporter {
  private isWhole = false;
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const all = (await this.vitest?.globTestSpecifications()) ?? [];
    this.isWhole = this.vitest?.config.testNamePattern === undefined && specifications.length === all.length;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const used = new Map<string, string>();
    for (const module of modules) {
      const { indexes = {} } = module.meta() as { indexes?: Record<string, string> };
      for (const [index, statement] of Object.entries(indexes)) if (!used.has(index)) used.set(index, statement);
    }
    const list = process.env.INDEX_LIST;
    if (list !== undefined) {
      const lines = [...used].sort().map(([index, statement]) => `${index}: ${statement.replace(/\s+/g, " ").trim()}`);
      writeFileSync(list, `${lines.join("\n")}\n`);
    }
    if (!this.isWhole) return;
    const unused = indexesOfMigrations().filter((index) => !used.has(index));
    if (unused.length === 0) return;
    console.error(
      `\nNo statement of the tests reads these indexes. Remove them, or test the statement that needs them: ${unused.join(", ")}`,
    );
    process.exitCode = 1;
  }
}
