import { createServer, type Server } from "node:http";
import { build } from "esbuild";

/**
 * Serves a page of another origin on loopback. The code is bundled with the project's packages, as `/editor.js`.
 * @param code an ES module, whose relative imports start in test/system/support.
 * @param html the page; it loads `/editor.js` itself.
 */
export async function servePage(code: string, html: string): Promise<Server> {
  const bundle = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    format: "esm",
    write: false,
  });
  const script = bundle.outputFiles[0]?.text ?? "";
  const server = createServer((request, response) => {
    const isScript = request.url === "/editor.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : html);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}
