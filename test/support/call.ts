import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { z } from "zod";
import { app } from "../../src/app";
import { expectDescribed } from "./described";

export interface CallOptions {
  /** Bearer token; none sends no Authorization header. */
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  /** Settings that replace the default ones for this call. */
  vars?: Record<string, string>;
  /** Bindings in addition to the default ones for this call. */
  bindings?: Record<string, unknown>;
}

export const BASE_URL = "http://workspace.test";

/** Sends one request through the whole Worker. Its answer must be as the API's description says. */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const response = await send(method, path, options);
  await expectDescribed(method, path, response);
  return response;
}

async function send(method: string, path: string, options: CallOptions): Promise<Response> {
  const { token, body, headers = {}, vars, bindings } = options;
  const all = new Headers(headers);
  if (token !== undefined) all.set("authorization", `Bearer ${token}`);
  if (body !== undefined && !all.has("content-type")) all.set("content-type", "application/json");
  const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const request = new Request(new URL(path, BASE_URL), { method, headers: all, redirect: "manual", ...sent });
  if (vars === undefined && bindings === undefined) return exports.default.fetch(request);
  const execution = createExecutionContext();
  const response = await app.fetch(request, { ...env, ...vars, ...bindings }, execution);
  // Work that goes on after the answer can wait for a reader of the body.
  if (response.body !== null)
    void response
      .clone()
      .arrayBuffer()
      .catch(() => undefined);
  await waitOnExecutionContext(execution);
  return response;
}

/** Sends a request that must answer with `status`. @returns its body, parsed with `schema`. */
export async function expectJson<T extends z.ZodType>(
  schema: T,
  status: number,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<z.infer<T>> {
  return bodyOf(await call(method, path, options), `${method} ${path}`, schema, status);
}

/** The body of an answer that must have `status`; null without a body. @param name of the call, for the failure */
export async function bodyOf<T extends z.ZodType>(
  response: Response,
  name: string,
  schema: T,
  status: number,
): Promise<z.infer<T>> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${name}: expected ${status}, got ${response.status} ${text}`);
  return schema.parse(text === "" ? null : JSON.parse(text));
}

export const problem = z.object({
  type: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  requestId: z.string(),
});

/** The refusal of a call: its status and the problem's code, as in `404 not-found`. */
export const codeOf = async (response: Response): Promise<string> =>
  `${response.status} ${problem.parse(await response.json()).code}`;
