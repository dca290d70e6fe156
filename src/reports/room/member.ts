import { z } from "@hono/zod-openapi";
import { levelAt, READ, WRITE } from "../../access";
import { credentialRefSchema } from "../../platform/caller";
import type { Context } from "../../platform/context";
import { loadAccessAtLocation, locationPath } from "../../workspace";
import { ROOM_CHECK_INTERVAL_MS } from "../limits";

/** Header that carries the `Arrival` from the route to the room. */
export const ARRIVAL_HEADER = "x-room-arrival";

/**
 * The reasons why a room closes a connection. Providers do not reconnect by themselves after codes from 4400 to 4499.
 */
const CLOSE = {
  malformed: { code: 4400, why: "not a message of the protocol" },
  /** The token has expired. The client requests a new one. */
  expired: { code: 4401, why: "token expired" },
  /** The user has lost access to the report. */
  forbidden: { code: 4403, why: "access lost" },
  gone: { code: 4404, why: "report deleted" },
  tooLarge: { code: 4413, why: "the draft would be too large" },
  full: { code: 4429, why: "too many people at once" },
} as const;
export type CloseReason = keyof typeof CLOSE;

/** Closes a socket with a reason for its provider. */
export const closeFor = (socket: WebSocket, reason: CloseReason): void =>
  socket.close(CLOSE[reason].code, CLOSE[reason].why);

/** A user who connects to a room, as described by the token. */
export const arrivalSchema = z.object({
  reportId: z.string(),
  credential: credentialRefSchema,
  displayName: z.string(),
  /** When the token expires, milliseconds since the epoch. */
  expiresAt: z.number(),
});
export type Arrival = z.infer<typeof arrivalSchema>;

/** The state that a connection keeps through hibernation. */
const memberSchema = arrivalSchema.extend({
  canWrite: z.boolean(),
  /** Whether the connection was told that its user may only read. */
  isToldToRead: z.boolean().default(false),
  /** When access must be checked again at the latest, milliseconds since the epoch. */
  checkAt: z.number(),
  /** Ids of the shared document's clients that belong to this connection. */
  clients: z.array(z.number()),
});
export type Member = z.infer<typeof memberSchema>;

/** Cache of the sockets' attachments: each is parsed once after hibernation. */
const members = new WeakMap<WebSocket, Member>();

/** One user's connection to a room. */
export class Seat {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get member(): Member {
    const known = members.get(this.#socket);
    if (known !== undefined) return known;
    const member = memberSchema.parse(this.#socket.deserializeAttachment());
    members.set(this.#socket, member);
    return member;
  }

  keep(change: Partial<Member>): void {
    const member = { ...this.member, ...change };
    this.#socket.serializeAttachment(member);
    members.set(this.#socket, member);
  }

  is(socket: WebSocket): boolean {
    return this.#socket === socket;
  }

  isSame(other: Seat): boolean {
    return other.is(this.#socket);
  }

  send(data: Uint8Array): void {
    try {
      this.#socket.send(data);
    } catch {
      // It is closing; its close event follows.
    }
  }

  close(reason: CloseReason): void {
    closeFor(this.#socket, reason);
  }
}

/** The relative luminance of WCAG 2 up to which a colour has a contrast of 4.5 : 1 on white. */
const MAX_LUMINANCE = 1.05 / 4.5 - 0.05;
const linearOf = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const encodedOf = (light: number): number => (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055);

/** A user's colour, the same in every room, as `#rrggbb`. Its contrast on white is at least 4.5 : 1. */
export function colourOf(userId: string): string {
  const hue = Number.parseInt(userId.slice(-4), 16) % 360;
  const lightOf = (n: number): number => {
    const k = (n + hue / 30) % 12;
    return linearOf(0.38 - 0.3 * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  const [red, green, blue] = [lightOf(0), lightOf(8), lightOf(4)];
  const scale = Math.min(1, MAX_LUMINANCE / (0.2126 * red + 0.7152 * green + 0.0722 * blue));
  const hex = (light: number): string =>
    Math.floor(encodedOf(light * scale) * 255)
      .toString(16)
      .padStart(2, "0");
  return `#${hex(red)}${hex(green)}${hex(blue)}`;
}

type Admission = { admitted: true; canWrite: boolean; checkAt: number } | { admitted: false; reason: CloseReason };

/** Checks what each of these users may do with a report at its location now, in one query. */
export async function admit(
  context: Pick<Context, "directory" | "workspace">,
  locationId: string,
  arrivals: readonly Pick<Arrival, "credential" | "expiresAt">[],
  now: number,
): Promise<Admission[]> {
  const credentials = arrivals.map(({ credential }) => credential);
  const { location, held } = await loadAccessAtLocation(context, credentials, locationId, [], now);
  return arrivals.map(({ expiresAt }, i) => {
    if (expiresAt <= now) return { admitted: false, reason: "expired" };
    if (location === null) return { admitted: false, reason: "gone" };
    const found = held[i] ?? null;
    const level = found === null ? 0 : levelAt(found.facts, "Reports", locationPath(location));
    if (level < READ) return { admitted: false, reason: "forbidden" };
    const checkAt = Math.min(expiresAt, found?.endsAt ?? Number.POSITIVE_INFINITY, now + ROOM_CHECK_INTERVAL_MS);
    return { admitted: true, canWrite: level >= WRITE, checkAt };
  });
}
