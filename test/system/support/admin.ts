import { execFile } from "node:child_process";
import { openState } from "./state";

/** `npm run admin` on a local state, and the rows of that state. */
export const adminOf = (stateDir: string) => ({
  /** Runs a statement from outside of wrangler, whose start takes seconds. */
  query(sql: string): Record<string, unknown>[] {
    const file = openState(stateDir);
    try {
      return file.prepare(sql).all();
    } finally {
      file.close();
    }
  },
  /** Runs the command with these arguments. `said` is what it printed. */
  run: (...args: string[]): Promise<{ code: number; said: string }> =>
    new Promise((done) =>
      execFile(
        process.execPath,
        ["scripts/admin.mjs", ...args],
        { env: { ...process.env, STATE_DIR: stateDir } },
        (error, stdout, stderr) => done({ code: error === null ? 0 : 1, said: `${stdout}${stderr}` }),
      ),
    ),
});
