import { existsSync, readFileSync } from "node:fs";
import * as z from "zod";
import { requirePrivate } from "./files";
import { Refusal } from "./refusal";

/** The path of the socket `run.sock` in this folder must fit into the address of a socket: 103 bytes on macOS, 107 on Linux. */
const MAX_STATE_FOLDER_BYTES = 94;

export const DEFAULT_SETTINGS_FILE = "/etc/camera-gateway/gateway.json";

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether the connection is protected: by TLS, or because it stays on this machine. */
export const isProtected = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname));

const httpUrl = z.url({ protocol: /^https?$/ });
const seconds = z.int().min(1).max(600);

const snapshotSchema = z.strictObject({
  type: z.literal("snapshot"),
  url: httpUrl,
  username: z.string().optional(),
  password: z.string().optional(),
  timeoutSeconds: seconds.default(20),
});
const commandSchema = z.strictObject({
  type: z.literal("command"),
  /** The program and its arguments; `{width}`, `{height}` and `{quality}` are replaced by the camera's settings. No shell interprets them. */
  command: z.array(z.string()).min(1),
  timeoutSeconds: seconds.default(30),
});
const folderSchema = z.strictObject({
  type: z.literal("folder"),
  path: z.string().startsWith("/"),
  /** Time that a file must be unchanged before the gateway takes it. */
  settleSeconds: z.number().min(0).max(600).default(2),
  /** Whether images in folders inside the folder are taken, at any depth. */
  subfolders: z.boolean().default(false),
});

const nightsSchema = z
  .strictObject({
    skip: z.boolean(),
    /** Degrees of the sun below the horizon at which it is night: 0 at sunset, 6 at the end of civil twilight. */
    sunBelowDegrees: z.number().min(0).max(18).default(0),
    /** Used when the location has no coordinates. */
    latitude: z.number().min(-90).max(90).optional(),
    longitude: z.number().min(-180).max(180).optional(),
  })
  .refine(
    ({ latitude, longitude }) => (latitude === undefined) === (longitude === undefined),
    "needs latitude and longitude, or neither",
  );

const cameraSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be lower-case letters, digits and hyphens"),
  source: z.discriminatedUnion("type", [snapshotSchema, commandSchema, folderSchema]),
  nights: nightsSchema.default({ skip: false, sunBelowDegrees: 0 }),
});

export const settingsSchema = z
  .strictObject({
    service: httpUrl.refine((url) => isProtected(new URL(url)), "must begin with https://"),
    stateFolder: z
      .string()
      .startsWith("/")
      .refine(
        (path) => Buffer.byteLength(path) <= MAX_STATE_FOLDER_BYTES,
        `must have at most ${MAX_STATE_FOLDER_BYTES} bytes, because the path of a socket in it is limited: use a shorter path`,
      ),
    spool: z
      .strictObject({
        /** Maximum size of all stored images. */
        maxMegabytes: z.number().positive().default(8_192),
        /** Free space on the disk that the gateway does not use. */
        minFreeMegabytes: z.number().min(0).default(256),
      })
      .default({ maxMegabytes: 8_192, minFreeMegabytes: 256 }),
    cameras: z.array(cameraSchema).min(1).max(32),
  })
  .refine(({ cameras }) => new Set(cameras.map(({ name }) => name)).size === cameras.length, {
    path: ["cameras"],
    message: "must have different names",
  });

export type Settings = z.infer<typeof settingsSchema>;
export type CameraSettings = Settings["cameras"][number];
export type SourceSettings = CameraSettings["source"];
export type NightSettings = CameraSettings["nights"];

/** Reads the settings. @throws Refusal when the file is not private or not valid. */
export function readSettings(file: string): Settings {
  if (!existsSync(file))
    throw new Refusal(`${file} is missing. Write it as the README shows, or give another file with --config.`);
  requirePrivate(file);
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Refusal(`${file} is not JSON.`);
  }
  const parsed = settingsSchema.safeParse(given);
  if (!parsed.success) throw new Refusal(`${file} is not valid:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
