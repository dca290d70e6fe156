import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { buildGateway } from "../../gateway/build.mjs";

const CODE = "ABCD-2345";

/*
 * Runs a command in a pseudo terminal with python's `pty`, waits for its question, types the code and a correction, and
 * prints all that the terminal showed. It types only after the program has switched the echo off.
 */
const TERMINAL = `
import json, os, pty, sys, termios
command = json.loads(sys.argv[1])
process, terminal = pty.fork()
if process == 0:
    os.execvp(command[0], command)
shown, typed = b"", False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    if b"not shown" in shown and not typed:
        typed = True
        while termios.tcgetattr(terminal)[3] & termios.ECHO:
            pass
        os.write(terminal, b"${CODE}X\\x7f\\r")
_, status = os.waitpid(process, 0)
print(json.dumps({"shown": shown.decode(), "code": os.waitstatus_to_exitcode(status)}))
`;

test("the pairing code is typed in a terminal that does not show it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gw-terminal-"));
  const redeemed: string[] = [];
  const service = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      redeemed.push(JSON.parse(body).pairingCode);
      const ids = { cameraId: crypto.randomUUID(), credentialId: crypto.randomUUID(), assignmentGeneration: 1 };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(ids));
    });
  });
  await new Promise<void>((done) => service.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const [program, config, inbox] = ["gateway.mjs", "gateway.json", "inbox"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await buildGateway(program);
  mkdirSync(inbox);
  const settings = {
    service: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    stateFolder: join(folder, "state"),
    cameras: [{ name: "crane", source: { type: "folder", path: inbox } }],
  };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });

  const command = [process.execPath, program, "pair", "crane", "--config", config];
  const { stdout } = await promisify(execFile)("python3", ["-c", TERMINAL, JSON.stringify(command)]);
  const { shown, code } = JSON.parse(stdout);
  expect(code, shown).toBe(0);
  expect(redeemed).toEqual([CODE]);
  expect(shown).toContain("Pairing code");
  expect(shown).not.toContain("ABCD");
  expect(shown).not.toContain("2345");
});
