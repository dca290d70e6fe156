import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { localSecrets } from "../../scripts/secrets.mjs";
import { migrate } from "../../scripts/service/migrate.mjs";
import { bundled } from "../support/bundled.ts";
import { type Runtime, startRuntime } from "../support/runtime.ts";
import type { SignedIn, signIn as SignIn } from "./sessions.ts";
import type { Counts } from "./worker.ts";

/** Clock ticks per second in /proc: 100 on every Linux that Node supports. */
const TICKS = 100;
/** Lifetime of the members' sessions, longer than a benchmark. */
const LIFE_MS = 86_400_000;

export interface Usage {
  cpuSeconds: number;
  memoryMb: number;
}

export interface Site {
  locationId: string;
  /** Access tokens of sessions, one for each member. The first one is the owner's. */
  tokens: string[];
}

/** The service in the runtime without wrangler, with its own state. The bench fills and measures it from outside. */
export class BenchService {
  readonly stateDir = mkdtempSync(join(tmpdir(), "bench-hub-"));
  #running: Runtime | undefined;

  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  prepare(): Promise<unknown> {
    return migrate(this.stateDir);
  }

  /** Starts the deployed service with the entry of the benchmark. */
  async start(): Promise<void> {
    const config = join(this.stateDir, "wrangler.toml");
    const own = readFileSync("wrangler.toml", "utf8")
      .replace('"src/worker.ts"', JSON.stringify(resolve("bench/hub/worker.ts")))
      .replace(
        /^(directory|zod|"@peculiar\/x509") = "(.+)"$/gm,
        (_, name, path) => `${name} = ${JSON.stringify(resolve(path))}`,
      );
    writeFileSync(config, own);
    const { port, stateDir } = this;
    this.#running = await startRuntime({ config, port, stateDir, secretsFile: localSecrets(stateDir) });
  }

  async counts(): Promise<Counts> {
    return (await (await fetch(`${this.url}/bench/counts`)).json()) as Counts;
  }

  /** Only sends a frame with the length of an event to every socket. */
  async ping(): Promise<void> {
    await fetch(`${this.url}/bench/ping`);
  }

  /** From now on, shards keep the frames of each connection in their SQLite, as a stateful reconnect needs it. */
  async keepFrames(): Promise<void> {
    await fetch(`${this.url}/bench/keep-frames`);
  }

  /** Aborts all shards at once: every connection breaks, and their memory is lost. */
  async abortShards(): Promise<void> {
    await fetch(`${this.url}/bench/abort`);
  }

  /** Sends `events` events of a location at once. */
  async burst(locationId: string, events: number): Promise<void> {
    await fetch(`${this.url}/bench/burst?location=${locationId}&events=${events}`);
  }

  async end(): Promise<void> {
    await this.#running?.stop();
    rmSync(this.stateDir, { recursive: true, force: true });
  }

  /** Writes an organization with `members` signed-in members and a location while the service is stopped. */
  async fill(members: number): Promise<Site> {
    return this.#fill(
      1,
      Array.from({ length: members }, () => 0),
    );
  }

  /**
   * Writes an organization while the service is stopped, with one signed-in guest for each number of grants. Each grant is of another
   * location. All guests have a grant of the location of the site.
   */
  async fillGuests(grants: readonly number[]): Promise<Site> {
    return this.#fill(Math.max(...grants), grants);
  }

  /** @param grants of each person; a person without grants is a member, the first one the owner */
  async #fill(locations: number, grants: readonly number[]): Promise<Site> {
    const database = this.#database();
    const insert = (table: string, row: Record<string, string | number>) =>
      database
        .prepare(
          `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
            .map(() => "?")
            .join()})`,
        )
        .run(...Object.values(row));
    const [organizationId, clusterId] = [randomUUID(), randomUUID()];
    const locationIds = Array.from({ length: locations }, () => randomUUID());
    const times = { created_at: 1, updated_at: 1 };
    const ids = { tenant_id: organizationId, organization_id: organizationId };
    const tenant = { ...ids, ...times };
    const limits = { document_storage_bytes: 1e9, jobs_per_month: 1e6, max_retention_days: 365 };
    const people: SignedIn[] = [];
    database.exec("BEGIN");
    insert("residents", { workspace_id: organizationId, state: "here" });
    insert("organizations", { id: organizationId, name: "Bench", cameras: 1, external_shares: 1, ...limits, ...times });
    insert("clusters", { id: clusterId, name: "Cluster", ...tenant });
    for (const id of locationIds) insert("locations", { id, cluster_id: clusterId, name: "Location", ...tenant });
    for (const [n, count] of grants.entries()) {
      const [sessionId, userId] = [randomUUID(), randomUUID()];
      people.push({ sessionId, userId });
      const person = { id: userId, email: `${userId}@bench.test`, display_name: "Member" };
      insert("users", { ...person, created_at: 1 });
      insert("people", person);
      const role = count > 0 ? "guest" : n === 0 ? "owner" : "member";
      insert("memberships", { organization_id: organizationId, user_id: userId, role, created_at: 1 });
      const granted = { user_id: userId, target: "location", capabilities: '{"LocationView":"Read"}', created_at: 1 };
      for (const target_id of locationIds.slice(0, count))
        insert("grants", { id: randomUUID(), target_id, ...granted, ...ids });
      const lives = { created_at: 1, last_used_at: 1, expires_at: Date.now() + LIFE_MS, user_agent: "bench", ip: "" };
      insert("sessions", { id: sessionId, user_id: userId, ...lives });
    }
    database.exec("COMMIT");
    database.close();
    const tokens = await bundled("bench/hub/sessions.ts", ({ signIn }) =>
      (signIn as typeof SignIn)(localSecrets(this.stateDir), this.url, people),
    );
    return { locationId: locationIds[0] ?? "", tokens };
  }

  /**
   * CPU time (user and system, s) and resident memory (MB) of the runtime of the service, its database and its queues.
   */
  usage(): Usage {
    const usage = { cpuSeconds: 0, memoryMb: 0 };
    for (const pid of workerds()) {
      const fields = statOf(pid);
      usage.cpuSeconds += (Number(fields[11]) + Number(fields[12])) / TICKS;
      const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
      usage.memoryMb += (Number(kib) * 1024) / 1e6;
    }
    return usage;
  }

  #database(): DatabaseSync {
    const folder = join(this.stateDir, "v3/d1/miniflare-D1DatabaseObject");
    const file = readdirSync(folder).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite") ?? "";
    return new DatabaseSync(join(folder, file));
  }
}

/** Fields of /proc/pid/stat after the command's name. */
const statOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");

/** The workerd processes that descend from this process. */
function workerds(): number[] {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    try {
      parents.set(pid, Number(statOf(pid)[1]));
      names.set(pid, readFileSync(`/proc/${pid}/comm`, "latin1").trim());
    } catch {
      // The process has ended meanwhile.
    }
  }
  const descends = (pid: number): boolean => pid === process.pid || (pid > 1 && descends(parents.get(pid) ?? 0));
  return [...names].filter(([pid, name]) => name === "workerd" && descends(pid)).map(([pid]) => pid);
}
