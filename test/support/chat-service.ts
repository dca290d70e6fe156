/** The chat catalog of the tests, by user. It runs in Node and answers over HTTP. */
export const CHAT_HOST = "chat.test";
export const CHAT_URL = `https://${CHAT_HOST}/summary`;

interface ChatBehaviour {
  status: number;
  body: string;
  delayMs: number;
}

const behaviours = new Map<string, ChatBehaviour>();
const calls = new Map<string, number>();

/** Stores the body of a PUT for a user, and answers GET with it. Answers OPTIONS with the number of GETs. */
export async function chatService(request: Request): Promise<Response> {
  const userId = new URL(request.url).searchParams.get("userId") ?? "";
  if (request.method === "PUT") {
    behaviours.set(userId, JSON.parse(await request.text()));
    return new Response(null, { status: 204 });
  }
  if (request.method === "OPTIONS") return Response.json(calls.get(userId) ?? 0);
  calls.set(userId, (calls.get(userId) ?? 0) + 1);
  const { status, body, delayMs } = behaviours.get(userId) ?? { status: 503, body: "down", delayMs: 0 };
  // It does not keep the process alive at the end of the tests.
  await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
  return new Response(body, { status });
}
