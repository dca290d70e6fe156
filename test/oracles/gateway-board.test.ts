import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { drawn } from "../node/gateway/pictures";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { entitle, newSite, RunningService } from "../system/support/running";

/*
 * Follows gateway/README.md from a bare board to the first image. The board is this machine with its folders in memory, so
 * that nothing remains. Programs of the board that a test cannot have are replaced: `apt-get` and `timedatectl` do nothing,
 * and `systemctl` starts the command of the unit with its environment and its user.
 */

const canHaveBoard =
  process.getuid?.() === 0 && spawnSync("unshare", ["--mount", "--pid", "--fork", "true"]).status === 0;

const SYSTEMCTL = `#!/bin/sh
[ "$*" = "enable --now camera-gateway" ] || exit 0
unit=/etc/systemd/system/camera-gateway.service
set -- $(sed -n 's/^Environment=//p' $unit) $(sed -n 's/^ExecStart=//p' $unit)
runuser -u "$(sed -n 's/^User=//p' $unit)" -- env "$@" &
`;

/** Puts memory in the place of this machine's folders, which the board then uses. */
const BOARD = `set -euo pipefail
mkdir -p /srv memory && mount -t tmpfs tmpfs memory
for folder in etc opt root srv usr var; do
  mkdir memory/$folder memory/$folder.work
  mount -t overlay overlay -o lowerdir=/$folder,upperdir=$PWD/memory/$folder,workdir=$PWD/memory/$folder.work /$folder
done
touch /usr/bin/node && mount --bind "$NODE" /usr/bin/node
`;

const guideBlocks = (): string[] => {
  const [, guide = ""] = readFileSync("gateway/README.md", "utf8").split(/^## From a bare board.*$/m);
  const [section = ""] = guide.split(/^## /m);
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body = ""]) => body);
};

test.runIf(canHaveBoard)(
  "the README leads from a bare board to the first image",
  { timeout: 2 * LONG_PATIENCE },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "gw-board-"));
    const service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true" });
    const image = drawn(77, 320, 240);
    const camera = createServer((request, response) => {
      const expected = `Basic ${Buffer.from("gateway:secret").toString("base64")}`;
      if (request.headers.authorization === expected) response.end(image);
      else response.writeHead(401, { "www-authenticate": 'Basic realm="camera"' }).end();
    });
    await new Promise<void>((done) => camera.listen(0, "127.0.0.1", done));
    onTestFinished(async () => {
      camera.close();
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const site = await newSite(service);
    await entitle(service, site);
    const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
    const made = z.looseObject({ id: z.string() });
    const { id } = await service.api(made, "POST", cameras, site.token, { name: "Crane", captureIntervalMinutes: 1 });
    const code = z.looseObject({ pairingCode: z.string() });
    const { pairingCode } = await service.api(code, "POST", `/v1/cameras/${id}/enrollments`, site.token);

    const [project, programs] = [join(folder, "project"), join(folder, "programs")];
    for (const made of [project, programs, join(folder, "board")]) mkdirSync(made);
    const isSource = (path: string) => !["node_modules", "dist"].includes(basename(path));
    for (const part of ["gateway", "src", "tsconfig.json"])
      cpSync(part, join(project, part), { recursive: true, filter: isSource });
    symlinkSync(resolve("node_modules"), join(project, "node_modules"));
    for (const name of ["apt-get", "timedatectl"]) writeFileSync(join(programs, name), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(programs, "systemctl"), SYSTEMCTL, { mode: 0o755 });

    const [build = "", install = "", settings = "", pair = "", start = "", status = ""] = guideBlocks();
    expect(build).toContain("npm install");
    const script = [
      BOARD,
      "cd project",
      // The packages are the project's packages, in the same versions (test/node/gateway/layout.test.ts).
      build.replace(/^npm install .*$/m, ""),
      "cd ../../board && mv ../project/gateway/*.tgz .",
      install,
      settings
        .replace("https://workspace.example.org", service.url)
        .replace("http://192.168.1.20", `http://127.0.0.1:${(camera.address() as AddressInfo).port}`),
      // The page types the code.
      pair.replace(/^gateway pair/, `printf '%s\\n' '${pairingCode}' | gateway pair`),
      start,
      `until ${status.trim()} | tee status.txt | grep 'sent .* 1 image'; do sleep 0.5; done`,
    ].join("\n");
    const environment = { ...process.env, NODE: process.execPath, PATH: `${programs}:${process.env.PATH}` };
    // With the process of `unshare`, all processes of the board end.
    const board = spawn(
      "unshare",
      ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", script],
      {
        cwd: folder,
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let said = "";
    for (const stream of [board.stdout, board.stderr]) stream.on("data", (part) => (said += part));
    const [exitCode] = await once(board, "exit");
    expect(exitCode, said).toBe(0);
    expect(said).toContain("crane is paired.");
    expect(said).not.toContain("BAD");

    const captures = z.looseObject({ items: z.array(z.looseObject({ checksumSha256: z.string() })) });
    const path = `/v1/cameras/${id}/captures?locationId=${site.locationId}`;
    await eventually(async () => {
      const { items } = await service.api(captures, "GET", path, site.token);
      expect(items).toMatchObject([{ checksumSha256: createHash("sha256").update(image).digest("hex") }]);
    }, LONG_PATIENCE);
  },
);
