/*
 * The service worker of the installed console. It answers a navigation without a network with a page that says so, and hands
 * files that a phone shares to the console. It keeps one page without any data: nothing of a person is stored.
 */

const KEPT = "offline-1";
const language = new URL(location.href).searchParams.get("language") ?? "en";
const OFFLINE = `/console/app/${language}.html`;
const SHARE = "/console/share";
/** Where a person chooses the location of shared files. */
const SHARED = "/console/locations?shared=files";

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(KEPT).then((kept) => kept.add(new Request(OFFLINE, { cache: "reload" }))));
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

/** Gives the files to the page that follows, when it asks for them. They are in memory only. */
async function handOver(request, clientId) {
  const files = (await request.formData()).getAll("files").filter((one) => one instanceof File);
  await new Promise((done) => {
    const give = ({ source, data }) => {
      if (data !== "shared-files" || (clientId !== "" && source.id !== clientId)) return;
      source.postMessage({ kind: "shared-files", files });
      self.removeEventListener("message", give);
      done();
    };
    self.addEventListener("message", give);
  });
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.method === "POST" && pathname === SHARE) {
    event.respondWith(Response.redirect(SHARED, 303));
    event.waitUntil(handOver(request.clone(), event.resultingClientId));
    return;
  }
  if (request.mode !== "navigate" || request.method !== "GET") return;
  event.respondWith(fetch(request).catch(async () => (await caches.match(OFFLINE)) ?? Response.error()));
});
