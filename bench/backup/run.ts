import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { loadCarry } from "../../scripts/backup/carry.mjs";
import { openDatabase } from "../../scripts/backup/database.mjs";
import { migrate } from "../../scripts/service/migrate.mjs";
import { machine, table, writeSection } from "../support/results.ts";

/*
 * Fills a local database with the text of documents in one workspace, backs it up with the command, backs it up again, measures for how
 * long a fence closes the workspace, and restores it elsewhere. `MB=500` sets the size.
 */

const MEGABYTES = Number(process.env.MB ?? 2_000);
const TEXT_BYTES = 2_000;
const DOCUMENTS = 200;
const MAX_MEMORY_MB = 200;

const folder = mkdtempSync(join(tmpdir(), "bench-backup-"));
const [first, second, copy] = [join(folder, "first"), join(folder, "second"), join(folder, "copy")];
await migrate(first);

const databases = join(first, "v3/d1/miniflare-D1DatabaseObject");
const file = join(databases, readdirSync(databases).find((name) => /^[0-9a-f]+\.sqlite$/.test(name)) ?? "");
const workspace = "019aa000-0000-7000-8000-000000000001";
const id = (kind: string, n: number) => `019aa000-0000-7000-${kind}-${n.toString(16).padStart(12, "0")}`;

/** Pseudo-random words, so that texts are not equal. */
function texts(seed: number): string {
  let state = seed;
  let text = "";
  while (text.length < TEXT_BYTES) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${state.toString(36)} `;
  }
  return JSON.stringify([text]);
}

function fill(): number {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN");
  const [cluster, location] = [id("8002", 1), id("8002", 2)];
  const own = "revision, created_at, updated_at) VALUES";
  database.exec(`INSERT INTO residents (workspace_id, state) VALUES ('${workspace}', 'here');
    INSERT INTO workspaces (id, number, database) VALUES ('${workspace}', 1, 'first');
    INSERT INTO clusters (id, tenant_id, name, ${own} ('${cluster}', '${workspace}', 'North', 1, 1, 1);
    INSERT INTO locations (id, tenant_id, cluster_id, name, ${own} ('${location}', '${workspace}', '${cluster}', 'Quay', 1, 1, 1)`);
  const insert = database.prepare(
    `INSERT INTO documents (id, tenant_id, cluster_id, location_id, path, file_name, text_status, ${own}
     (?, '${workspace}', '${cluster}', '${location}', '', ?, 'indexed', 1, 1, 1)`,
  );
  for (let n = 0; n < DOCUMENTS; n++) insert.run(id("8001", n), `document ${n}.txt`);
  const section = database.prepare(
    "INSERT INTO text_sections (document_id, version, page, chunk_index, texts) VALUES (?, 1, 1, ?, ?)",
  );
  const sections = Math.ceil((MEGABYTES * 1e6) / TEXT_BYTES);
  for (let n = 0; n < sections; n++) section.run(id("8001", n % DOCUMENTS), Math.floor(n / DOCUMENTS), texts(n + 1));
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return sections;
}

interface Measured {
  seconds: number;
  /** Largest resident memory of the command's process, megabytes. */
  resident: number;
  /** Largest memory that the command and its workerd hold together, without the pages of files that they map, megabytes. */
  held: number;
}

const megabytesOf = (path: string, name: string): number => {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(path, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
};

/** Processes that a process has started, but not the tools that apply the migrations. */
const runtimesOf = (pid: number): string[] => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    return children.filter((child) => readFileSync(`/proc/${child}/comm`, "utf8").trim() === "workerd");
  } catch {
    return [];
  }
};

async function command(name: "backup" | "restore", stateDir: string): Promise<Measured> {
  const begun = performance.now();
  const child = spawn(process.execPath, ["--optimize-for-size", `scripts/backup/${name}.mjs`, copy], {
    env: { ...process.env, STATE_DIR: stateDir },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const { pid = 0 } = child;
  let [resident, held] = [0, 0];
  const timer = setInterval(() => {
    resident = Math.max(resident, megabytesOf(`/proc/${pid}/status`, "VmHWM"));
    const all = [pid, ...runtimesOf(pid)].map((one) => megabytesOf(`/proc/${one}/smaps_rollup`, "Anonymous"));
    held = Math.max(
      held,
      all.reduce((sum, one) => sum + one, 0),
    );
  }, 200);
  const [code] = await once(child, "exit");
  clearInterval(timer);
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return { seconds: (performance.now() - begun) / 1_000, resident, held };
}

/** For how long changes of the workspace are refused while a backup reads it without one state of the file, seconds. */
async function closedSeconds(): Promise<number> {
  const carry = await loadCarry();
  const database = await openDatabase({ stateDir: first, remote: false });
  let [closedAt, closed] = [0, 0];
  class Timed extends carry.Fence {
    override async close() {
      const done = await super.close();
      closedAt = performance.now();
      return done;
    }
    override async open() {
      await super.open();
      closed = Math.max(closed, performance.now() - closedAt);
    }
  }
  const source = { batch: database.batch };
  await carry.carryOut({
    source,
    tables: carry.OF_WORKSPACE,
    workspace,
    keep: async () => null,
    fence: new Timed(source, workspace),
  });
  database.close();
  return closed / 1_000;
}

try {
  const rows = fill();
  const bytes = statSync(file).size;
  const load = loadavg()[0]?.toFixed(1) ?? "?";
  const whole = await command("backup", first);
  const again = await command("backup", first);
  const closed = await closedSeconds();
  const restored = await command("restore", second);
  const cell = ({ seconds, resident, held }: Measured) => [
    `${seconds.toFixed(0)} s`,
    `${held.toFixed(0)} MB`,
    `${resident.toFixed(0)} MB`,
  ];
  writeSection(
    "Backups",
    `${machine()}, nice ${process.env.NICE ?? "0"}, load ${load}. One workspace with ${rows.toLocaleString("en-US")} sections of text in a
database of ${(bytes / 1e6).toFixed(0)} MB (${MEGABYTES} MB of text), with the commands on a local state. "Held" is the peak of the
memory of the command and its workerd without the files that they map; "resident" is the peak of the command with them. The workspace was closed to
changes for ${closed.toFixed(1)} s when it was read behind a fence, as the nightly job and \`--remote\` read it.

${table(
  ["step", "time", "held", "resident"],
  [
    ["first backup", ...cell(whole)],
    ["second backup, nothing changed", ...cell(again)],
    ["restore into an empty database (RTO)", ...cell(restored)],
  ],
)}`,
  );
  for (const { held } of [whole, again, restored])
    if (held > MAX_MEMORY_MB) throw new Error(`a command held ${held.toFixed(0)} MB of memory`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
