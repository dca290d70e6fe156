/** A chat catalog for the tests, by person; it runs in Node and is reached over HTTP. */
export const CHAT_HOST = "chat.test";
export const CHAT_URL = `https://${CHAT_HOST}/summary`;

interface ChatBehaviour {
  status: number;
  body: string;
  delayMs: number;
}

const behaviours = new Map<string, ChatBehaviour>();

/** Keeps what was PUT for a person, and answers GET with it. */
export async function chatService(request: Request): Promise<Response> {
  const userId = new URL(request.url).searchParams.get("userId") ?? "";
  if (request.method === "PUT") {
    behaviours.set(userId, JSON.parse(await request.text()));
    return new Response(null, { status: 204 });
  }
  const { status, body, delayMs } = behaviours.get(userId) ?? { status: 503, body: "down", delayMs: 0 };
  // Nobody waits for it at the end of the tests.
  await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
  return new Response(body, { status });
}
