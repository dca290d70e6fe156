import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { parse, stringify } from "smol-toml";
import { z } from "zod";
import { localSecrets } from "../../../scripts/secrets.mjs";
import { allDatabases, readDatabases } from "../../../scripts/service/deployment.mjs";
import { migrate } from "../../../scripts/service/migrate.mjs";
import { freePort } from "../../../scripts/service/options.mjs";
import { withAbsolutePaths } from "../../../scripts/service/own-settings.mjs";
import { copyPreparedState, preparedWorker } from "../../../scripts/service/prepared.mjs";
import { serve } from "../../../scripts/service/serve.mjs";
import { configOf, configTextOf, prepareDatabases } from "../../../scripts/service/several.mjs";
import { copyDatabase, openState, readState } from "./state";

/** The folder of a state with the mails that were sent. */
const MAILS = "sent-mails";

/** Ports that a start tries. */
const MAX_PORTS = 3;

/** The real service with a separate state: the bundle of a deployment in the runtime. It can be killed and started again. */
export class RunningService {
  #service: Awaited<ReturnType<typeof serve>> | null = null;

  private constructor(
    readonly url: string,
    private readonly start: () => ReturnType<typeof serve>,
    readonly stateDir: string,
  ) {}

  /**
   * @param given settings, or a function that makes them from the service's address
   * @param environment variables of the processes, such as another cache
   * @param config file of wrangler, if it is not the project's own
   * @param state the folder of the state that it continues, if it does not begin with an empty one
   */
  static async start(
    given: Record<string, string> | ((url: string) => Record<string, string>) = {},
    environment: Record<string, string> = {},
    config?: string,
    state?: string,
  ): Promise<RunningService> {
    const stateDir = state ?? mkdtempSync(join(tmpdir(), "service-"));
    await (state === undefined ? copyPreparedState(stateDir) : migrate(stateDir));
    const secretsFile = localSecrets(stateDir);
    for (let tries = 1; ; tries++) {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      // Each picture that a test uploads would start one more browser.
      const vars = {
        REGISTRATION: "open",
        RECOGNITION_BROWSERS: "0",
        ...(typeof given === "function" ? given(url) : given),
      };
      const options = { ...preparedWorker, port, stateDir, secretsFile, vars, environment };
      const running = new RunningService(
        url,
        () => serve(config === undefined ? options : { ...options, config }),
        stateDir,
      );
      try {
        running.#service = await running.start();
        return running;
      } catch (thrown) {
        // Another program can take the port before the service has it.
        if (tries === MAX_PORTS || !String(thrown).includes("Address already in use")) throw thrown;
      }
    }
  }

  /** The same with a directory and several workspace databases, in an empty state. */
  static startSeveral(
    databases: number,
    given: Record<string, string> | ((url: string) => Record<string, string>),
  ): Promise<RunningService> {
    const stateDir = mkdtempSync(join(tmpdir(), "service-"));
    prepareDatabases(stateDir, databases);
    copyPreparedState(stateDir);
    copyDatabase(
      stateDir,
      allDatabases(readDatabases(configTextOf(stateDir))).map(({ binding }) => binding),
    );
    return RunningService.start(given, {}, configOf(stateDir), stateDir);
  }

  /** The same with a mail service. The runtime writes each mail to a file, which `mails` reads. */
  static startMailing(given: (url: string) => Record<string, string>): Promise<RunningService> {
    const stateDir = mkdtempSync(join(tmpdir(), "service-"));
    copyPreparedState(stateDir);
    const config = join(stateDir, "mailing.toml");
    const project = parse(configTextOf(stateDir)) as unknown as Parameters<typeof withAbsolutePaths>[0];
    writeFileSync(config, stringify(withAbsolutePaths({ ...project, send_email: [{ name: "MAIL" }] })));
    mkdirSync(join(stateDir, MAILS));
    const settings = (url: string) => ({ MAIL_FROM: "service@workspace.test", ...given(url) });
    return RunningService.start(settings, { TMPDIR: join(stateDir, MAILS) }, config, stateDir);
  }

  /** The texts of the mails that it has sent. */
  mails(): string[] {
    return readdirSync(join(this.stateDir, MAILS), { recursive: true, withFileTypes: true })
      .filter(({ parentPath }) => parentPath.includes("email-text"))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  }

  /** The rows of a query on its database, or on the list of its bucket. */
  ask<Row>(of: "D1Database" | "R2Bucket", sql: string): Row[] {
    return readState(this.stateDir, (database) => database.prepare(sql).all() as Row[], of);
  }

  /** Ends like in a power failure, and starts again with the same state. `change` changes its database in between. */
  async restart(change?: (database: DatabaseSync) => void): Promise<void> {
    await this.#service?.kill();
    if (change !== undefined) this.#changeDatabase(change);
    this.#service = await this.start();
  }

  #changeDatabase(change: (database: DatabaseSync) => void): void {
    // A process that was killed can hold its locks for a moment.
    const database = openState(this.stateDir, { timeout: 30_000 });
    try {
      change(database);
    } finally {
      database.close();
    }
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    rmSync(this.stateDir, { recursive: true, force: true });
  }

  /** Calls the API. @throws for a status other than 2xx. */
  async api<T extends z.ZodType>(
    schema: T,
    method: string,
    path: string,
    token?: string,
    body?: unknown,
  ): Promise<z.infer<T>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        accept: "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return schema.parse(text === "" ? null : JSON.parse(text));
  }
}

const withId = z.object({ id: z.string() });

export interface Site {
  email: string;
  password: string;
  token: string;
  organizationId: string;
  locationId: string;
}

/** Gives an organization all entitlements. Its owner is the service's first user, with `FIRST_USER_IS_ADMIN`. */
export async function entitle(
  service: RunningService,
  { organizationId, token }: Site,
  documentStorageBytes = 1024 ** 3,
  maxRetentionDays = 365,
): Promise<void> {
  await service.api(z.unknown(), "PUT", `/v1/orgs/${organizationId}/entitlements`, token, {
    cameras: true,
    externalShares: true,
    documentStorageBytes,
    jobsPerMonth: 1_000,
    maxRetentionDays,
  });
}

/** A signed-in user with an organization, a cluster and a location. */
export async function newSite(service: RunningService): Promise<Site> {
  const account = {
    email: `${crypto.randomUUID()}@people.test`,
    password: "correct horse battery",
    displayName: "Ada",
  };
  const signedIn = z.object({ accessToken: z.string() });
  const { accessToken: token } = await service.api(signedIn, "POST", "/v1/auth/register", undefined, account);
  const { id: organizationId } = await service.api(withId, "POST", "/v1/orgs", token, { name: "Live" });
  const cluster = await service.api(withId, "POST", "/v1/spatial/clusters", token, { organizationId, name: "North" });
  const location = await service.api(withId, "POST", "/v1/spatial/locations", token, {
    clusterId: cluster.id,
    name: "Quay",
  });
  return { ...account, token, organizationId, locationId: location.id };
}

/** Creates an account that joins the organization of a site. */
export async function joinSite(
  service: RunningService,
  { organizationId, token }: Site,
  { role, ...person }: { role: string; email: string; password: string; displayName: string },
): Promise<void> {
  const made = z.object({ invitation: z.object({ token: z.string() }) });
  const invite = { email: person.email, role };
  const { invitation } = await service.api(made, "POST", `/v1/orgs/${organizationId}/members`, token, invite);
  const account = { ...person, invitation: invitation.token };
  await service.api(z.unknown(), "POST", "/v1/auth/register", undefined, account);
}
