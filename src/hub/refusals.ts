/** An answer of text alone, in the words and codes that ASP.NET Core's clients expect. */
export const plain = (text: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(text === "" ? null : text, {
    status,
    headers: { "content-type": "text/plain", "cache-control": "no-store", ...headers },
  });

/** The one answer for ids that were never given, are another's, or whose connection is over. */
export const unknownConnection = (): Response => plain("No Connection with that ID", 404);

/** Nobody is behind what was presented, or not any more. */
export const unauthorized = (): Response => plain("", 401, { "www-authenticate": 'Bearer realm="workspace"' });
