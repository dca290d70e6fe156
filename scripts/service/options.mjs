import { randomInt } from "node:crypto";
import { accessSync, constants, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { Refusal, ROOT } from "../setup/project.mjs";

/** Most workspace databases of the local service. */
const MAX_DATABASES = 6;

const DEFAULT_PORT = 8787;

/**
 * Reads the options of `npm start`: PORT, STATE_DIR, DEMO, HOSTED_LIMITS, DATABASE_COUNT. @throws Refusal with the required change.
 * @returns {{ port: number, stateDir: string, demo: boolean, hostedLimits: boolean, databaseCount: number | null }}
 */
export function readOptions({ PORT, STATE_DIR, DEMO, HOSTED_LIMITS, DATABASE_COUNT } = process.env) {
  const port = PORT ? Number(PORT) : DEFAULT_PORT;
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Refusal(`PORT is "${PORT}". Set it to a number from 1 to 65535, such as PORT=8790 npm start.`);
  if (DEMO !== undefined && !["", "0", "1"].includes(DEMO))
    throw new Refusal(`DEMO is "${DEMO}". Set it to 1 for demo data (the default) or 0 for none.`);
  if (HOSTED_LIMITS !== undefined && !["", "0", "1"].includes(HOSTED_LIMITS))
    throw new Refusal(`HOSTED_LIMITS is "${HOSTED_LIMITS}". Set it to 1 to refuse what Cloudflare refuses, or to 0.`);
  const databaseCount = DATABASE_COUNT ? Number(DATABASE_COUNT) : null;
  if (
    databaseCount !== null &&
    !(Number.isInteger(databaseCount) && databaseCount >= 1 && databaseCount <= MAX_DATABASES)
  )
    throw new Refusal(`DATABASE_COUNT is "${DATABASE_COUNT}". Set it to a number from 1 to ${MAX_DATABASES}.`);
  const stateDir = resolve(ROOT, STATE_DIR || ".state");
  return { port, stateDir, demo: DEMO !== "0", hostedLimits: HOSTED_LIMITS === "1", databaseCount };
}

/** Creates the folders of the service. @throws Refusal if they cannot be written. */
export function makeWritable(...folders) {
  for (const folder of folders)
    try {
      mkdirSync(folder, { recursive: true });
      accessSync(folder, constants.W_OK);
    } catch (cause) {
      throw new Refusal(
        `${folder} cannot be written (${cause.code}). Allow this user to write it, or set STATE_DIR to another folder.`,
      );
    }
}

/** Refuses a port that another program uses. */
export function requireFreePort(port) {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", (cause) =>
      fail(
        new Refusal(
          cause.code === "EADDRINUSE"
            ? `Another program uses port ${port}. Stop it, or choose another port: PORT=${port + 1} npm start.`
            : `Port ${port} cannot be used (${cause.code}). Choose another port: PORT=8790 npm start.`,
        ),
      ),
    );
    server.listen(port, "127.0.0.1", () => server.close(() => done()));
  });
}

/** Ports below the range for outgoing connections, so that no such connection takes one before its service. */
const [FIRST_PORT, END_PORT] = [20_000, 32_000];

/**
 * A port that no program uses now. @throws Refusal if there is none.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (let tries = 1; ; tries++) {
    const port = randomInt(FIRST_PORT, END_PORT);
    try {
      await requireFreePort(port);
      return port;
    } catch (thrown) {
      if (tries === 20) throw thrown;
    }
  }
}
