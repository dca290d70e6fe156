import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cameraFolder } from "../../../gateway/src/camera/camera";
import { examine } from "../../../gateway/src/commands/doctor";
import { Gateway } from "../../../gateway/src/gateway";
import { eventually } from "../../support/patience";
import { drawn } from "./pictures";
import { configuration, json, pairedSite, refuse, root, serve, site } from "./stub-service";

const never = new AbortController().signal;

test("the configuration is fetched with its ETag, stored, and then acknowledged", async () => {
  let revision = 1;
  const calls: string[] = [];
  const service = await serve((request, body, response) => {
    if (request.method === "POST") {
      calls.push(`acknowledged ${JSON.parse(body).appliedRevision}, stored ${stored().configuration.revision}`);
      if (calls.length === 2) revision = 2;
      return void json(response, { revision, serverTimeUtc: new Date().toISOString() });
    }
    const tag = request.headers["if-none-match"];
    calls.push(`asked with ${tag ?? "no tag"}`);
    if (tag === `"${revision}"`) return void response.writeHead(304).end();
    json(response, configuration(revision), { etag: `"${revision}"` });
  });
  const { settings, folder } = pairedSite(service);
  const stored = () => JSON.parse(readFileSync(join(folder, "configuration.json"), "utf8"));
  const run = async (length: number) => {
    const stopping = new AbortController();
    const running = new Gateway({ settings, say: () => undefined }).run(stopping.signal);
    await eventually(() => {
      expect(calls).toHaveLength(length);
      // An answer that the gateway has not stored yet would be lost when it ends.
      expect(stored().etag).toBe('"2"');
    });
    stopping.abort();
    await running;
  };
  // The answer to the heartbeat has a newer revision, so the configuration is fetched at once.
  await run(3);
  expect(calls).toEqual(["asked with no tag", "acknowledged 1, stored 1", 'asked with "1"']);
  expect(stored()).toMatchObject({ etag: '"2"', configuration: { revision: 2 } });
  await run(5);
  expect(calls.slice(3)).toEqual(['asked with "2"', "acknowledged 2, stored 2"]);
});

test("credentials and images that other users can read stop the gateway at its start", async () => {
  const { settings, folder } = pairedSite("http://127.0.0.1:9");
  const start = () => new Gateway({ settings, say: () => undefined }).status();
  expect(start().cameras).toMatchObject([{ paired: true }]);
  chmodSync(join(folder, "identity.json"), 0o640);
  expect(start).toThrow(/identity\.json can be read by other users.*chmod/);
  chmodSync(join(folder, "identity.json"), 0o600);
  chmodSync(settings.stateFolder, 0o755);
  expect(start).toThrow(/can be read by other users.*chmod/);
});

describe("doctor", () => {
  /** The findings by what they are about. */
  const findingsOf = async (settings: Parameters<typeof examine>[0]) =>
    Object.fromEntries((await examine(settings, never)).map((finding) => [finding.what, finding]));
  const refusing = () => serve((_request, _body, response) => void refuse(response, 401, "unauthenticated"));
  const accepting = (clockErrorMs = 0) =>
    serve((request, _body, response) => {
      if (request.headers.authorization === undefined) return void refuse(response, 401, "unauthenticated");
      json(response, configuration(1, Date.now() + clockErrorMs));
    });

  test("finds nothing bad when all works", async () => {
    const file = join(root, "picture.jpg");
    writeFileSync(file, Buffer.concat([Buffer.from("\r\n"), drawn(1)]));
    const { settings } = pairedSite(await accepting(), {}, { type: "command", command: ["cat", file] });
    expect(await findingsOf(settings)).toMatchObject({
      network: { verdict: "good" },
      state: { verdict: "good" },
      disk: { verdict: "good" },
      clock: { verdict: "good" },
      "gate: pairing": { verdict: "good" },
      "gate: camera": { verdict: "good", finding: expect.stringContaining("leading-bytes") },
    });
  });

  test("examines cameras at the same time, in their order, and prints the clock once", async () => {
    const service = await accepting(3_600_000);
    // Each command ends only after the other command began.
    const [one, other] = [join(root, "one"), join(root, "other")];
    const meeting = (mine: string, theirs: string) => ({
      type: "command",
      command: ["sh", "-c", `touch ${mine}; until [ -e ${theirs} ]; do sleep 0.1; done; cat ${join(root, "shot.jpg")}`],
    });
    writeFileSync(join(root, "shot.jpg"), drawn(2));
    const cameras = [
      { name: "gate", source: meeting(one, other) },
      { name: "yard", source: meeting(other, one) },
    ];
    const { settings } = pairedSite(service, { cameras });
    cpSync(cameraFolder(settings.stateFolder, "gate"), cameraFolder(settings.stateFolder, "yard"), { recursive: true });
    const findings = (await examine(settings, never)).map(({ what, verdict }) => `${verdict} ${what}`);
    expect(findings.slice(1)).toEqual([
      "good network",
      "good state",
      "good disk",
      "warning clock",
      ...["gate", "yard"].flatMap((name) => [`good ${name}: pairing`, `good ${name}: camera`]),
    ]);
  });

  test("names a web page instead of an image, and images in folders inside a watched one", async () => {
    const page = await serve((_request, _body, response) => {
      response.setHeader("content-type", "text/html").end("<html>Sign in</html>");
    });
    const signIn = {
      verdict: "bad",
      finding: expect.stringContaining("web page"),
      advice: expect.stringMatching(/^Correct username, password/),
    };
    for (const source of [
      { type: "snapshot", url: page },
      { type: "command", command: ["echo", "<!DOCTYPE html><title>Sign in</title>"] },
    ])
      expect(await findingsOf(pairedSite(await accepting(), {}, source).settings)).toMatchObject({
        "gate: camera": signIn,
      });
    const path = mkdtempSync(join(root, "inbox-"));
    mkdirSync(join(path, "today"));
    writeFileSync(join(path, "today/a.jpg"), "");
    const findings = await findingsOf(pairedSite(await accepting(), {}, { type: "folder", path }).settings);
    expect(findings["gate: camera"]).toMatchObject({
      verdict: "warning",
      finding: expect.stringContaining("1 image is in folders inside"),
      advice: expect.stringContaining("subfolders"),
    });
  });

  test("gives advice for each fault: pairing, credential, clock, disk, folder, image, camera and network", async () => {
    const bad = (words: RegExp) => ({ verdict: "bad", advice: expect.stringMatching(words) });
    expect(await findingsOf(site(await accepting()))).toMatchObject({ "gate: pairing": bad(/gateway pair gate/) });
    expect(await findingsOf(pairedSite(await refusing()).settings)).toMatchObject({
      network: { verdict: "good" },
      "gate: pairing": bad(/gateway pair gate/),
    });
    expect(await findingsOf(pairedSite(await accepting(3_600_000)).settings)).toMatchObject({
      clock: { verdict: "warning", advice: expect.stringContaining("timedatectl") },
    });
    const crowded = pairedSite(await accepting(), { spool: { minFreeMegabytes: 1e9 } });
    expect(await findingsOf(crowded.settings)).toMatchObject({ disk: bad(/minFreeMegabytes/) });
    const absent = pairedSite(await accepting(), {}, { type: "folder", path: join(root, "absent") });
    expect(await findingsOf(absent.settings)).toMatchObject({ "gate: camera": bad(/folder/) });
    const text = pairedSite(await accepting(), {}, { type: "command", command: ["echo", "text"] });
    expect(await findingsOf(text.settings)).toMatchObject({ "gate: camera": bad(/JPEG/) });
    const broken = pairedSite(await accepting(), {}, { type: "command", command: ["false"] });
    expect(await findingsOf(broken.settings)).toMatchObject({ "gate: camera": bad(/command by hand/) });
    const portal = await serve((_request, _body, response) => void response.end("<html>Sign in!</html>"));
    expect(await findingsOf(site(portal))).toMatchObject({ network: bad(/captive portal/) });
    expect(await findingsOf(site("http://127.0.0.1:9"))).toMatchObject({ network: bad(/firewall/) });
    const busy = await serve((_request, _body, response) => void refuse(response, 503, "unavailable"));
    expect(await findingsOf(site(busy))).toMatchObject({ network: bad(/keeps the images/) });
    const shown = pairedSite(await accepting());
    chmodSync(join(shown.folder, "identity.json"), 0o644);
    expect(await findingsOf(shown.settings)).toMatchObject({ "gate: pairing": bad(/chmod go=/) });
    const open = site(busy);
    chmodSync(open.stateFolder, 0o755);
    expect(await findingsOf(open)).toMatchObject({ state: bad(/chmod go=/) });
  });
});
