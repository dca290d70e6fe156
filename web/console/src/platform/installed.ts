/*
 * The console as an installed application. Only then it has a service worker, which shows a page without a network and takes
 * files that a phone shares. In a tab of a browser, the browser shows its own page.
 */

const WORKER = `/console/app/worker.js?language=${document.documentElement.lang}`;

/** Registers the service worker. Without one, everything else works. */
function register(): void {
  navigator.serviceWorker?.register(WORKER, { scope: "/console/" }).catch(() => undefined);
}

if (matchMedia("(display-mode: standalone)").matches) register();
addEventListener("appinstalled", register);

/** The files that a phone has shared with the console; none if there are none, or if they were handed over already. */
export async function sharedFiles(): Promise<File[]> {
  const worker = navigator.serviceWorker?.controller;
  if (worker == null) return [];
  return new Promise((done) => {
    const take = ({ data }: MessageEvent<{ kind?: string; files?: File[] }>) => {
      if (data.kind !== "shared-files") return;
      navigator.serviceWorker.removeEventListener("message", take);
      done(data.files ?? []);
    };
    navigator.serviceWorker.addEventListener("message", take);
    worker.postMessage("shared-files");
  });
}
