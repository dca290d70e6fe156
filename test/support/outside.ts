import { CHAT_HOST, chatService } from "./chat-service.ts";
import { ISSUER_HOST, issuerService } from "./issuer-service.ts";

/** Answers every outgoing request of the Worker. The tests cannot reach other hosts. */
export function outboundService(request: Request): Response | Promise<Response> {
  switch (new URL(request.url).hostname) {
    case ISSUER_HOST:
      return issuerService(request);
    case CHAT_HOST:
      return chatService(request);
    default:
      return new Response("no such host", { status: 502 });
  }
}
