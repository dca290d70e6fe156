import { z } from "@hono/zod-openapi";
import { readBounded } from "../http/bodies";
import { SECOND } from "../time";
import { isPublic4, isPublic6 } from "./addresses";

/** Longest wait for an answer of the resolver. */
const RESOLVER_TIMEOUT_MS = 3 * SECOND;
/** Largest answer of the resolver that is read, bytes. */
const MAX_RESOLVER_BYTES = 64 * 1024;
/** Most addresses of a name. A name with more is refused. */
const MAX_ADDRESSES = 64;

/** Types of records (IANA DNS Parameters). */
const A = 1;
const AAAA = 28;
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

const answerSchema = z.object({
  Status: z.int(),
  Answer: z.array(z.object({ type: z.int(), data: z.string() })).optional(),
});

/** What the DNS says of a name. `unknown`: no such name, or one without addresses. `unanswered`: the resolver failed. */
export type NameVerdict = "public" | "not-public" | "unknown" | "unanswered";

/** The addresses of one type in the answer of a resolver (JSON over HTTPS); null for a failure of the resolver. */
async function ask(resolver: string, name: string, type: typeof A | typeof AAAA): Promise<string[] | null> {
  const url = new URL(resolver);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type === A ? "A" : "AAAA");
  try {
    const response = await fetch(url, {
      headers: { accept: "application/dns-json" },
      redirect: "manual",
      signal: AbortSignal.timeout(RESOLVER_TIMEOUT_MS),
    });
    if (response.status !== 200 || response.body === null) return null;
    const body = await readBounded(response.body, MAX_RESOLVER_BYTES);
    if (body === null) return null;
    const { Status: status, Answer: answers = [] } = answerSchema.parse(JSON.parse(await body.text()));
    if (status === NO_SUCH_NAME) return [];
    if (status !== NO_ERROR) return null;
    return answers.filter((answer) => answer.type === type).map(({ data }) => data);
  } catch {
    return null;
  }
}

/**
 * Asks the resolver for the IPv4 and IPv6 addresses of a name. Each of them must be of a public host, because nothing says
 * which of them a connection takes. @param resolver the address of a resolver that answers JSON
 */
export async function judgeName(resolver: string, name: string): Promise<NameVerdict> {
  const [four, six] = await Promise.all([ask(resolver, name, A), ask(resolver, name, AAAA)]);
  if (four === null || six === null) return "unanswered";
  const count = four.length + six.length;
  if (count === 0) return "unknown";
  return count <= MAX_ADDRESSES && four.every(isPublic4) && six.every(isPublic6) ? "public" : "not-public";
}
