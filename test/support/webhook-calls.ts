import { z } from "zod";

/* What tests inside the runtime ask the receivers and the resolver of `webhook-receiver.ts`. */

export interface ResolverRecords {
  A?: string[];
  AAAA?: string[];
  /** The name of a CNAME before the addresses. */
  alias?: string;
  Status?: number;
  /** The HTTP status of a resolver that fails. */
  http?: number;
  /** The whole text of the answer. */
  raw?: string;
}

export interface ReceiverBehaviour {
  status?: number;
  body?: string | null;
  headers?: Record<string, string>;
  delayMs?: number;
}

const receivedSchema = z.object({ at: z.number(), headers: z.record(z.string(), z.string()), body: z.string() });
export type Received = z.infer<typeof receivedSchema>;

/** Sets the answer of a receiver. */
export const behave = (url: string, behaviour: ReceiverBehaviour): Promise<Response> =>
  fetch(url, { method: "PUT", body: JSON.stringify(behaviour) });

/** The requests that a receiver has got. */
export const receivedBy = async (url: string): Promise<Received[]> =>
  z.array(receivedSchema).parse(await (await fetch(url)).json());

/** Sets the records of a name. */
export const setRecords = (resolver: string, name: string, known: ResolverRecords): Promise<Response> =>
  fetch(`${resolver}?name=${name}`, { method: "PUT", body: JSON.stringify(known) });
