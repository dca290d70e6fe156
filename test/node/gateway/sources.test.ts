import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FROZEN_AFTER, Health } from "../../../gateway/src/camera/health";
import { normaliseJpeg } from "../../../gateway/src/jpeg/normalise";
import { openCommand } from "../../../gateway/src/sources/command";
import { imagesBelow, openFolder } from "../../../gateway/src/sources/folder";
import { openSnapshot } from "../../../gateway/src/sources/snapshot";
import { MAX_SOURCE_BYTES, type Shot, type Source } from "../../../gateway/src/sources/source";
import { drawn } from "./pictures";

const PICTURE = { captureWidth: 640, captureHeight: 480, jpegQuality: 70 };
const root = mkdtempSync(join(tmpdir(), "sources-"));
const never = new AbortController().signal;
const IMAGE = drawn(1);

async function all(source: Source): Promise<Shot[]> {
  const shots: Shot[] = [];
  for await (const shot of source.take(PICTURE, never)) shots.push(shot);
  return shots;
}
const bytesOf = async (source: Source) => (await all(source))[0]?.bytes;

const hash = (algorithm: string, text: string) => createHash(algorithm).update(text).digest("hex");

/** A camera that checks credentials by RFC 7616. */
function digestIsRight(request: IncomingMessage, algorithm: string): boolean {
  const given = request.headers.authorization ?? "";
  const field = (name: string) => new RegExp(`\\b${name}="?([^",]+)"?`).exec(given)?.[1] ?? "";
  const name = algorithm === "MD5" ? "md5" : "sha256";
  const user = hash(name, 'gate"way:cam era:pass:word');
  const asked = hash(name, `GET:${request.url}`);
  const response = hash(name, [user, "n0nce", field("nc"), field("cnonce"), "auth", asked].join(":"));
  return field("response") === response && field("uri") === request.url && field("opaque") === "0p";
}

const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  "/plain.jpg": (request, response) => {
    expect(request.headers["cache-control"]).toContain("no-cache");
    response.setHeader("content-type", "image/jpeg").end(IMAGE);
  },
  "/basic.jpg": (request, response) => {
    const expected = `Basic ${Buffer.from('gate"way:pass:word').toString("base64")}`;
    if (request.headers.authorization === expected) response.end(IMAGE);
    else response.writeHead(401, { "www-authenticate": 'Basic realm="camera"' }).end();
  },
  ...Object.fromEntries(
    ["MD5", "SHA-256"].map((algorithm) => [
      `/digest-${algorithm}.jpg?channel=1`,
      (request: IncomingMessage, response: ServerResponse) => {
        if (digestIsRight(request, algorithm)) return void response.end(IMAGE);
        const challenge = `Basic realm="old", Digest realm="cam era", nonce="n0nce", opaque="0p", qop="auth,auth-int", algorithm=${algorithm}`;
        response.writeHead(401, { "www-authenticate": challenge }).end();
      },
    ]),
  ),
  "/stream": (_request, response) => {
    response.writeHead(200, { "content-type": "multipart/x-mixed-replace; boundary=frame" });
    const part = Buffer.concat([
      Buffer.from("--frame\r\nContent-Type: image/jpeg\r\n\r\n"),
      IMAGE,
      Buffer.from("\r\n"),
    ]);
    // It has no end.
    response.write(part);
    response.write(part);
  },
  // One part with its length, and no second one.
  "/slow-stream": (_request, response) => {
    response.writeHead(200, { "content-type": 'multipart/x-mixed-replace; boundary="--frame"' });
    response.write(`--frame\r\nContent-Type: image/jpeg\r\nContent-Length: ${IMAGE.length}\r\n\r\n`);
    response.write(IMAGE);
  },
  // A length that is wrong, and line breaks of one byte.
  "/wrong-stream": (_request, response) => {
    response.writeHead(200, { "content-type": "multipart/x-mixed-replace;boundary=frame" });
    response.write("--frame\r\nContent-Length: 9\r\n\r\n");
    response.write(Buffer.concat([IMAGE, Buffer.from("\n--frame\r\n")]));
  },
  // A file of two parts that ends.
  "/parts": (_request, response) => {
    response.writeHead(200, { "content-type": "multipart/mixed; boundary=frame" });
    response.end(Buffer.concat([Buffer.from("--frame\r\nA: b\r\n\r\n"), IMAGE, Buffer.from("\r\n--frame--\r\n")]));
  },
  "/sign-in": (_request, response) => {
    response.setHeader("content-type", "text/html").end("<!DOCTYPE html><title>Sign in</title>");
  },
  "/start-page": (_request, response) => void response.end("\n<html><body>Camera</body></html>"),
  "/moved.jpg": (_request, response) =>
    void response.writeHead(302, { location: "http://gate:secret@camera.test/login?next=1" }).end(),
  "/endless.jpg": (_request, response) => {
    const block = Buffer.alloc(1 << 20, 0xff);
    const go = () => void (response.destroyed || response.write(block, go));
    go();
  },
  "/missing.jpg": (_request, response) => void response.writeHead(404).end(),
  "/silent.jpg": () => undefined,
};

let server: Server;
let camera: string;
beforeAll(async () => {
  server = createServer((request, response) => answers[request.url ?? ""]?.(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  camera = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(root, { recursive: true, force: true });
});

describe("a snapshot address", () => {
  const open = (path: string, timeoutSeconds = 30) =>
    openSnapshot({
      type: "snapshot",
      url: `${camera}${path}`,
      username: 'gate"way',
      password: "pass:word",
      timeoutSeconds,
    });

  test.each(["/plain.jpg", "/basic.jpg", "/digest-MD5.jpg?channel=1", "/digest-SHA-256.jpg?channel=1"])(
    "returns the image unchanged: %s",
    async (path) => expect(await bytesOf(open(path))).toEqual(IMAGE),
  );

  test.each(["/stream", "/slow-stream", "/wrong-stream", "/parts"])(
    "that streams returns the first image, without the line break of the boundary: %s",
    async (path) => {
      const bytes = await bytesOf(open(path));
      expect(bytes).toEqual(IMAGE);
      expect(normaliseJpeg(bytes ?? Buffer.alloc(0)).repairs).toEqual([]);
    },
  );

  test("without an image names the reason", async () => {
    await expect(all(open("/missing.jpg"))).rejects.toMatchObject({ code: "camera-failed" });
    await expect(all(open("/silent.jpg", 1))).rejects.toMatchObject({ code: "camera-timeout" });
    await expect(all(open("/endless.jpg"))).rejects.toMatchObject({ code: "frame-too-large" });
    for (const page of ["/sign-in", "/start-page"])
      await expect(all(open(page))).rejects.toMatchObject({
        code: "camera-unauthorized",
        message: expect.stringContaining("web page"),
      });
    const moved = await all(open("/moved.jpg")).catch((thrown: Error) => thrown.message);
    expect(moved).toContain("http://camera.test/login");
    expect(moved).not.toMatch(/secret|next=/);
    const closed = openSnapshot({ type: "snapshot", url: "http://127.0.0.1:9/", timeoutSeconds: 30 });
    await expect(all(closed)).rejects.toMatchObject({ code: "camera-unreachable" });
    const wrong = openSnapshot({
      type: "snapshot",
      url: `${camera}/basic.jpg`,
      username: "a",
      password: "b",
      timeoutSeconds: 30,
    });
    await expect(all(wrong)).rejects.toMatchObject({ code: "camera-unauthorized" });
  });
});

describe("a command", () => {
  const open = (script: string, timeoutSeconds = 60) =>
    openCommand({
      type: "command",
      command: [process.execPath, "-e", script, "{width}x{height}@{quality}"],
      timeoutSeconds,
    });

  test("returns its output, and gets the settings", async () => {
    expect((await bytesOf(open("process.stdout.write(process.argv[1])")))?.toString()).toBe("640x480@70");
  });

  test("that fails, hangs, floods or is missing is an error, and no process remains", async () => {
    await expect(all(open("console.error('no device'); process.exit(3)"))).rejects.toMatchObject({
      code: "camera-failed",
      message: expect.stringContaining("no device"),
    });
    await expect(all(open("setInterval(() => {}, 1000)", 1))).rejects.toMatchObject({ code: "camera-timeout" });
    const flood = "const b = Buffer.alloc(1 << 20); (function go() { process.stdout.write(b, go) })()";
    await expect(all(open(flood))).rejects.toMatchObject({ code: "frame-too-large" });
    const absent = openCommand({ type: "command", command: ["/nonexistent/program"], timeoutSeconds: 5 });
    await expect(all(absent)).rejects.toMatchObject({ code: "camera-failed" });
  });
});

describe("a folder", () => {
  test("returns complete images, oldest first and with stable ids, and deletes only stored ones", async () => {
    const path = mkdtempSync(join(root, "folder-"));
    for (const [name, at] of [
      ["b.jpg", 2_000],
      ["a.JPEG", 3_000],
      ["c.jpg", 1_000],
      [".d.jpg", 1],
      ["e.txt", 1],
    ] as const) {
      writeFileSync(join(path, name), name);
      utimesSync(join(path, name), at, at);
    }
    const source = openFolder({ type: "folder", path, settleSeconds: 0, subfolders: false });
    const first = await all(source);
    expect(first.map(({ bytes }) => bytes.toString())).toEqual(["c.jpg", "b.jpg", "a.JPEG"]);
    const again = await all(openFolder({ type: "folder", path, settleSeconds: 0, subfolders: false }));
    expect(again.map(({ captureId }) => captureId)).toEqual(first.map(({ captureId }) => captureId));
    expect(new Set(first.map(({ captureId }) => captureId)).size).toBe(3);
    first[0]?.kept?.();
    first[1]?.refused?.();
    expect(readdirSync(path).sort()).toEqual([".d.jpg", "a.JPEG", "b.jpg.refused", "e.txt"]);
    expect(await all(source)).toHaveLength(1);
  });

  test("takes images of the folders inside it only by a setting", async () => {
    const path = mkdtempSync(join(root, "folder-"));
    mkdirSync(join(path, "2026/11/28"), { recursive: true });
    mkdirSync(join(path, ".cache"));
    for (const name of ["a.jpg", "2026/11/28/a.jpg", "2026/b.jpeg", ".cache/c.jpg", "2026/d.txt"])
      writeFileSync(join(path, name), name);
    expect(imagesBelow(path)).toBe(2);
    const take = (subfolders: boolean) => all(openFolder({ type: "folder", path, settleSeconds: 0, subfolders }));
    expect((await take(false)).map(({ bytes }) => bytes.toString())).toEqual(["a.jpg"]);
    const shots = await take(true);
    expect(shots.map(({ bytes }) => bytes.toString()).sort()).toEqual(["2026/11/28/a.jpg", "2026/b.jpeg", "a.jpg"]);
    expect(new Set(shots.map(({ captureId }) => captureId)).size).toBe(3);
    for (const { kept, refused, bytes } of shots) (bytes.toString() === "2026/b.jpeg" ? refused : kept)?.();
    expect(readdirSync(path, { recursive: true }).map(String).sort()).toEqual(
      [".cache", ".cache/c.jpg", "2026", "2026/11", "2026/11/28", "2026/b.jpeg.refused", "2026/d.txt"].sort(),
    );
  });

  test("says of a file that it is too large to be read", async () => {
    const path = mkdtempSync(join(root, "folder-"));
    writeFileSync(join(path, "a.jpg"), "");
    truncateSync(join(path, "a.jpg"), MAX_SOURCE_BYTES + 1);
    const source = openFolder({ type: "folder", path, settleSeconds: 0, subfolders: false });
    expect(await all(source)).toMatchObject([{ tooLarge: MAX_SOURCE_BYTES + 1 }]);
  });

  test("skips files that are still being written, and reports an unreadable folder", async () => {
    const path = mkdtempSync(join(root, "folder-"));
    writeFileSync(join(path, "a.jpg"), "half");
    const source = openFolder({ type: "folder", path, settleSeconds: 600, subfolders: false });
    expect(await all(source)).toEqual([]);
    expect(await all(source)).toEqual([]);
    const absent = openFolder({ type: "folder", path: join(path, "absent"), settleSeconds: 0, subfolders: false });
    await expect(all(absent)).rejects.toMatchObject({ code: "folder-unreadable" });
  });
});

test("a camera with a repeated image is reported until it sends another image", () => {
  const health = new Health(() => undefined);
  health.raise("camera-unreachable", "for now");
  for (let index = 1; index < FROZEN_AFTER; index++) health.kept("same", []);
  expect(health.gravest).toBeNull();
  health.kept("same", ["missing-end"]);
  expect(health.gravest).toBe("camera-frozen");
  health.kept("other", ["missing-end"]);
  expect(health.gravest).toBe("frame-normalised");
});
