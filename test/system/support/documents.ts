import { page } from "./desk";

/* What tests of the list of documents share. */

/** The box that selects a document of the list. */
export const boxOf = (name: string) => page.waitForSelector(`::-p-aria([name="Select ${name}"][role="checkbox"])`);

/** The name of the document that has the focus. */
export const focused = (): Promise<unknown> =>
  page.evaluate("document.activeElement?.closest('[data-document]')?.querySelector('a')?.textContent ?? ''");

/**
 * The requests of the page for documents of a location during a step: their method, and the rest of their path and query. It says
 * how long the step took, and the longest tasks of the page, for a person who compares two versions.
 * @param at the path of the documents
 */
export async function during(at: string, step: string, run: () => Promise<void>): Promise<string[]> {
  const asked: string[] = [];
  const note = (request: { method: () => string; url: () => string }) => {
    const { pathname, searchParams } = new URL(request.url());
    if (!pathname.startsWith(at)) return;
    const names = ["cursor", "ids"].filter((one) => searchParams.has(one));
    asked.push([request.method(), pathname.slice(at.length), ...names].filter((part) => part !== "").join(" "));
  };
  await page.evaluate(`{
    window.longTasks = [];
    window.taskObserver ??= new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((one) => one.duration)));
    window.taskObserver.observe({ entryTypes: ["longtask"] });
  }`);
  const begin = performance.now();
  page.on("request", note);
  await run();
  page.off("request", note);
  const time = Math.round(performance.now() - begin);
  const tasks = (await page.evaluate("window.longTasks")) as number[];
  const kinds = [...new Set(asked)].map((kind) => `${asked.filter((one) => one === kind).length} ${kind}`);
  console.info(
    `${step}: ${time} ms; ${kinds.join(", ")}; ${tasks.length} long tasks, ${Math.max(0, ...tasks)} ms at most`,
  );
  return asked;
}
