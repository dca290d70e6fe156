import { z } from "@hono/zod-openapi";
import { BROWSER_IDLE, LEASE, MOST_USES } from "../limits";

/** A browser that is open, as the pool remembers it. */
export const sessionSchema = z.strictObject({
  id: z.string(),
  /** Names the one loan it is out on; null while it is free. */
  loan: z.string().nullable(),
  /** When it was lent or given back, milliseconds since the epoch. */
  since: z.int(),
  uses: z.int(),
});
export type Session = z.infer<typeof sessionSchema>;

/** The free browser that was used last: the others may then close. */
export const freeSession = (sessions: readonly Session[]): Session | undefined =>
  sessions.filter(({ loan }) => loan === null).sort((a, b) => b.since - a.since)[0];

/** Whether the browser has printed as much as one browser should. */
export const isWorn = ({ uses }: Session): boolean => uses >= MOST_USES;

/** When the pool has to look at the browser again: nobody used it, or who has it is dead. */
export const endOf = ({ loan, since }: Session): number => since + (loan === null ? BROWSER_IDLE : LEASE);
