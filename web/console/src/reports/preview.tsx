import { useEffect, useRef } from "preact/hooks";

/** The page that shows reports. Its policy allows no scripts and no network. */
const FRAME = "/pages/report-preview";
/** Width of a page of paper, pixels. Narrower columns show it smaller. */
const PAPER_WIDTH = 860;

/** What a page shows in another way than its template says. */
export interface PageWarning {
  at: string;
  detail: string;
}

/** The warnings in the head of a page. The service writes the head, so they end before the first title. */
export function warningsIn(html: string): PageWarning[] {
  const head = new DOMParser().parseFromString(html.slice(0, html.indexOf("<title>")), "text/html");
  return [...head.querySelectorAll<HTMLMetaElement>("meta[name=report-warning]")].map(({ dataset }) => ({
    at: dataset.at ?? "",
    detail: dataset.detail ?? "",
  }));
}

/** Removes the targets of links, except those inside the page. */
function calmLinks(page: Document): void {
  for (const link of page.querySelectorAll("a, area"))
    for (const name of ["href", "xlink:href"])
      if (link.getAttribute(name)?.startsWith("#") === false) link.removeAttribute(name);
}

const pictures = (page: Document): Promise<unknown> =>
  Promise.allSettled([...page.images].map((image) => image.decode()));

/** The page of a report. A new page replaces the old one after its pictures are loaded, at the same scroll position. */
export function Preview({ html, title }: { html: string; title: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = box.current;
    if (place === null) return;
    const scale = () => {
      place.style.setProperty("--scale", String(Math.min(1, place.clientWidth / PAPER_WIDTH)));
    };
    scale();
    const observer = new ResizeObserver(scale);
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const place = box.current;
    if (place === null) return;
    const next = document.createElement("iframe");
    next.title = title;
    next.className = "coming";
    next.setAttribute("sandbox", "allow-same-origin");
    next.src = FRAME;
    let present = true;
    next.onload = async () => {
      next.onload = null;
      const page = next.contentDocument;
      if (!present || page === null) return;
      page.open();
      page.write(html);
      page.close();
      calmLinks(page);
      await pictures(page);
      if (!present) return;
      const before = place.querySelector<HTMLIFrameElement>("iframe:not(.coming)");
      next.contentWindow?.scrollTo(0, before?.contentWindow?.scrollY ?? 0);
      next.className = "";
      before?.remove();
    };
    place.append(next);
    return () => {
      present = false;
      if (next.className === "coming") next.remove();
    };
  }, [html, title]);
  return <div ref={box} class="sheet-box" />;
}
