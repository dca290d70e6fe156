import { CHAT_HOST, chatService } from "./chat-service.ts";
import { ISSUER_HOST, issuerService } from "./issuer-service.ts";
import { RECEIVERS, RESOLVER_HOST, resolverService, webhookReceiver } from "./webhook-receiver.ts";

/** Answers every outgoing request of the Worker. The tests cannot reach other hosts. */
export function outboundService(request: Request): Response | Promise<Response> {
  const { hostname } = new URL(request.url);
  if (hostname.endsWith(RECEIVERS)) return webhookReceiver(request);
  switch (hostname) {
    case ISSUER_HOST:
      return issuerService(request);
    case CHAT_HOST:
      return chatService(request);
    case RESOLVER_HOST:
      return resolverService(request);
    default:
      return new Response("no such host", { status: 502 });
  }
}
