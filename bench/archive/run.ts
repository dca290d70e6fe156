import { bundled } from "../support/bundled.ts";
import { machine, writeSection } from "../support/results.ts";

const parts: Record<string, () => Promise<void>> = {
  async sql() {
    const rows = await bundled("bench/archive/sql.ts", ({ measureSql }) => (measureSql as () => Promise<string>)());
    write(
      "Camera archive",
      `SQLite of Node on the service's schema, its own code, CPU time inside SQLite, 100 calls a row. A camera with an image
a minute but for nights and outages, beside one with a hundredth of it, in one database.

${rows}`,
    );
  },
  async exports() {
    const { measureExports } = await import("./exports.ts");
    write("Camera exports", await measureExports());
  },
  async judges() {
    const { judgeExports } = await import("./judges.ts");
    write("Camera exports beyond 4 GiB and 65,535 members", await judgeExports());
  },
};

function write(title: string, body: string): void {
  const text = `${machine()}. ${body}`;
  writeSection(title, text);
  console.log(text);
}

const asked = process.argv[2];
const chosen = asked === undefined ? Object.values(parts) : [parts[asked]];
for (const part of chosen) {
  if (part === undefined) throw new Error(`no part ${asked}: ${Object.keys(parts).join(", ")}`);
  await part();
}
