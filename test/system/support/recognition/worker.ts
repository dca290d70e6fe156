import { openRecognizer } from "../../../../src/documents";
import { bytesSource } from "../../../../src/documents/extraction/extracted";
import { drawnType, readFrames } from "../../../../src/platform/pictures/drawn";

export { BrowserPool } from "../../../../src/platform/browsers/pool";

/** The static files, with a script at the end of the page's own. */
const withScript = (assets: Fetcher, script: string): Pick<Fetcher, "fetch"> => ({
  async fetch(input: RequestInfo | URL) {
    const answer = await assets.fetch(input);
    if (script === "" || !String(input).endsWith("/page.js")) return answer;
    return new Response(`${await answer.text()}\n${script}`);
  },
});

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/readyz") return new Response("ready");
    const given = (name: string) => searchParams.get(name) ?? "";
    const document = bytesSource(new Uint8Array(await request.arrayBuffer()));
    const bindings = { ...env, ASSETS: withScript(env.ASSETS, given("script")) as Fetcher };
    const limits = given("deadline") === "" ? {} : { pageDeadlineMs: Number(given("deadline")) };
    const recognizer = openRecognizer(bindings, 1, limits);
    const type = drawnType(await document.read(0, 64), "");
    const frames = type === null ? null : await readFrames(document, type);
    const scan = { ...document, isPdf: given("type") !== "photo" && type === null, ...(frames && { frames }) };
    const wanted = given("pages").split(",").map(Number);
    if (given("work") === "draw") {
      const drawing = await recognizer.draw(scan, wanted);
      if (drawing.kind === "refused") return Response.json({ refused: drawing.status, drawn: [] });
      const drawn = drawing.pages.map(
        ({ drawn }) => drawn && { jpeg: drawn.jpeg.toBase64(), width: drawn.width, height: drawn.height },
      );
      return Response.json({ refused: null, drawn });
    }
    const result = await recognizer.recognize(scan, wanted);
    if (result.kind === "refused") return Response.json({ refused: result.status, pages: [] });
    const pages = result.pages.map(({ page, outcome, words }) => ({
      page,
      outcome,
      text: words.map(({ text }) => text).join(" "),
    }));
    return Response.json({ refused: null, pages });
  },
} satisfies ExportedHandler<Cloudflare.Env>;
