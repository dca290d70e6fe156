import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import puppeteer from "@cloudflare/puppeteer";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type * as Y from "yjs";
import { userRef } from "../../src/access";
import type { PageToPrint } from "../../src/platform/ports";
import { openPrinter } from "../../src/reports";
import * as reports from "../../src/reports/limits";
import { hunksOf, newBudget } from "../../src/reports/merging/sequences";
import { resolveImages, wishKey } from "../../src/reports/rendering/images/resolve";
import { supplyImages } from "../../src/reports/rendering/images/supply";
import { languageOf } from "../../src/reports/rendering/language";
import { wantedOf } from "../../src/reports/rendering/page-images";
import { SHARED_MAP } from "../../src/reports/room/bootstrap";
import { call, codeOf } from "../support/call";
import { mintLocation, mintOrganization } from "../support/factories";
import { keepJobs, systemContext } from "../support/jobs";
import { eventually, stopClock } from "../support/patience";
import { jpegFixture } from "../support/pictures";
import { mintReport, mintReportJob, mintTemplate } from "../support/reports";
import { bootstrap, connect, join, newReportSite, synced } from "../support/rooms";
import { PLAIN_PAGE } from "./report-bounds";

const document = (n: number) => ({ path: "", fileName: `${n}.jpg`, version: null });
const found = (documentId: string) =>
  ({ found: true, documentId, version: 1, objectKey: "k", contentType: "image/jpeg", sizeBytes: 1 }) as const;
const english = languageOf("en", "", "UTC");

test("MAX_IMAGES: a list without a number shows no more pictures of a period", () => {
  const shown = (count: number) => {
    const part = { gallery: [{ value: "1.jpg", use: "gallery" as const }] };
    const images = Array.from({ length: count }, (_, n) => found(`d${n}`));
    return wantedOf([part], new Map([[wishKey(document(1)), images]]), english).length;
  };
  expect(shown(reports.MAX_IMAGES)).toBe(reports.MAX_IMAGES);
  expect(shown(reports.MAX_IMAGES + 1)).toBe(reports.MAX_IMAGES);
});

test("SINGLE_IMAGE_EDGE: a single picture is wanted at this edge, and one in a gallery at its own", () => {
  const resolved = new Map([[wishKey(document(1)), [found("d")]]]);
  const single = { value: "1.jpg", use: "single" as const };
  const edges = wantedOf([single, { gallery: [{ ...single, use: "gallery" }] }], resolved, english);
  expect(edges.map(({ edge }) => edge)).toEqual([reports.SINGLE_IMAGE_EDGE, reports.GALLERY_IMAGE_EDGE]);
});

test("SINGLE_IMAGE_EDGE: a frame alone is scaled from its original, and any smaller one is its thumbnail", async () => {
  const image = { ...found("d"), objectKey: "original", frame: { thumbnailKey: "thumbnail", capturedAt: 0 } };
  const readFor = async (edge: number) => {
    const keys: string[] = [];
    const read = async (key: string) => {
      keys.push(key);
      return { body: new Blob([Uint8Array.from(jpegFixture("baseline-420"))]).stream() };
    };
    const objects = { ...systemContext().objects, read };
    await supplyImages({ ...systemContext(), objects } as never, "tenant", [{ image, edge, uses: 1 }], "make");
    return keys;
  };
  expect(await readFor(reports.SINGLE_IMAGE_EDGE)).toEqual(["original"]);
  expect(await readFor(reports.GALLERY_IMAGE_EDGE)).toEqual(["thumbnail"]);
});

test("MAX_FRAME_WISHES: one more frame is too many", async () => {
  const { organizationId, owner } = await newReportSite();
  const { id: locationId } = await mintLocation({ organizationId });
  const wishes = Array.from({ length: reports.MAX_FRAME_WISHES + 1 }, (_, at) => ({ cameraId: "c", at }));
  const facts = {
    userId: owner.userId,
    memberships: [],
    grants: [],
    limits: { organizationIds: null, ceiling: null, isProven: true },
    databases: ["first"],
  };
  const resolved = await resolveImages(systemContext(), locationId, wishes, {
    facts,
    credential: userRef(owner.userId),
  });
  const codes = wishes.map((wish) => resolved.get(wishKey(wish))?.map((image) => (image.found ? "found" : image.code)));
  expect(codes.map((of) => of?.[0])).toEqual([...Array(reports.MAX_FRAME_WISHES).fill("not-found"), "too-many"]);
});

test("MAX_MERGE_STEPS: a merge begins with this budget, and a comparison that exceeds it counts as one change", () => {
  expect(newBudget()).toEqual({ steps: reports.MAX_MERGE_STEPS });
  const [one, other] = [
    [2, 2, 1, 1, 2, 2],
    [3, 3, 1, 1, 3, 3],
  ];
  const spent = newBudget();
  expect(hunksOf(one ?? [], other ?? [], spent)).toHaveLength(2);
  const steps = reports.MAX_MERGE_STEPS - spent.steps;
  expect(hunksOf(one ?? [], other ?? [], { steps })).toHaveLength(2);
  expect(hunksOf(one ?? [], other ?? [], { steps: 5 })).toHaveLength(1);
});

test("MAX_INPUT_BYTES: a draft and a template of one byte more are refused", async () => {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant);
  const template = await mintTemplate(tenant, { htmlLayoutTemplate: "k".repeat(1_000_000) });
  const printed = await mintReport(tenant, location);
  const reportId = await mintReport(tenant, location, { templateId: template.id, contentJson: { k: "" } });
  // A job of the report waits already, so that no browser starts.
  const waiting = await mintReportJob(tenant, printed, organization.owner.userId, { status: "queued" });
  await env.DB.prepare("UPDATE report_jobs SET report_id = ? WHERE id = ?").bind(reportId, waiting).run();
  const generate = (letters: number) =>
    env.DB.prepare("UPDATE reports SET content_json = json_object('k', ?2) WHERE id = ?1")
      .bind(reportId, "k".repeat(letters))
      .run()
      .then(() => call("POST", `/v1/reports/${reportId}/generate-pdf`, organization.owner));
  expect((await generate(1)).status).toBe(202);
  const input = await env.DB.prepare(
    "SELECT length(CAST(snapshot AS BLOB)) AS bytes FROM report_jobs WHERE report_id = ? AND id <> ?",
  )
    .bind(reportId, waiting)
    .first<{ bytes: number }>();
  const most = reports.MAX_INPUT_BYTES - (input?.bytes ?? 0) + 1;
  expect(await codeOf(await generate(most + 1))).toBe("413 content-too-large");
  expect((await generate(most)).status).toBe(202);
});

describe("the printer", () => {
  const page = (html: string[]): PageToPrint => ({ html, title: "", language: "en", madeAt: 0 });

  /** A printer with a browser that answers at once; `never` is a method that it does not answer. */
  function printerWith(never = "") {
    const send = (method: string) => {
      if (method === never) return new Promise(() => {});
      if (method === "IO.read") return Promise.resolve({ data: "", eof: true });
      const answers = { stream: "s", frameTree: { frame: { id: "f" } }, result: { value: PLAIN_PAGE, objectId: "o" } };
      return Promise.resolve(answers);
    };
    const session = { send, on: () => {}, once: () => {}, detach: async () => {} };
    const target = { createCDPSession: async () => session, type: () => "page" };
    const context = { id: "c", waitForTarget: async () => target, close: async () => {} };
    const browser = {
      createBrowserContext: async () => context,
      target: () => target,
      disconnect: async () => {},
      close: async () => {},
    };
    vi.spyOn(puppeteer, "connect").mockResolvedValue(browser as never);
    onTestFinished(() => void vi.restoreAllMocks());
    const take = async () => ({ kind: "loan", loan: { sessionId: "s", loan: "l" } });
    const pool = { getByName: () => ({ take, giveBack: async () => {} }) };
    return openPrinter({ BROWSER: env.BROWSER, BROWSER_POOL: pool as never });
  }

  test("MAX_PAGE_CHARACTERS: a page of one character more is refused", async () => {
    const piece = "k".repeat(1024 * 1024);
    const pieces = Array<string>(reports.MAX_PAGE_CHARACTERS / piece.length).fill(piece);
    const { pdf } = await printerWith().print(async () => page(pieces));
    expect(pdf.length).toBe(0);
    const refused = printerWith().print(async () => page([...pieces, "k"]));
    await expect(refused).rejects.toMatchObject({ code: "print-too-large" });
  });

  test("PRINT_TIMEOUT_MS: a page that takes longer is given up", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let ended = "";
    const print = printerWith("Page.printToPDF").print(async () => page([]));
    print.catch(({ code }: { code: string }) => {
      ended = code;
    });
    await vi.advanceTimersByTimeAsync(reports.PRINT_TIMEOUT_MS - 1);
    expect(ended).toBe("");
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toBe("print-deadline");
  });
});

describe("a room", () => {
  const roomOf = (reportId: string) => env.REPORT_ROOM.getByName(reportId);

  test("MAX_ROOM_CONNECTIONS: one connection more is closed", async () => {
    const { owner, reportId } = await newReportSite();
    const ada = await join(owner.token, reportId);
    /** The other ends: a connection whose other end is collected as garbage is closed. */
    const ends: WebSocket[] = [];
    await runInDurableObject(roomOf(reportId), (_, state) => {
      const [first] = state.getWebSockets();
      for (let n = 2; n < reports.MAX_ROOM_CONNECTIONS; n++) {
        const { 0: end, 1: server } = new WebSocketPair();
        ends.push(end);
        server.serializeAttachment(first?.deserializeAttachment());
        state.acceptWebSocket(server);
      }
    });
    await join(owner.token, reportId);
    const admitted = await bootstrap(owner.token, reportId);
    const late = connect(admitted, admitted.token);
    await eventually(() => expect(late.closed).toEqual([4429]));
    expect(ends).toHaveLength(reports.MAX_ROOM_CONNECTIONS - 2);
    ada.provider.disconnect();
    await eventually(() =>
      runInDurableObject(roomOf(reportId), (_, state) =>
        expect(state.getWebSockets().length).toBeLessThan(reports.MAX_ROOM_CONNECTIONS),
      ),
    );
    await synced(await join(owner.token, reportId));
  });

  test("ROOM_CHECK_INTERVAL_MS: access is checked again after this time", async () => {
    const { owner, reportId } = await newReportSite();
    const now = stopClock();
    await join(owner.token, reportId);
    const times = await runInDurableObject(roomOf(reportId), ({ seats }) => seats.map(({ member }) => member.checkAt));
    expect(times).toEqual([now + reports.ROOM_CHECK_INTERVAL_MS]);
  });

  test("ROOM_RECHECK_INTERVAL_MS: an edit checks access again after this time", async () => {
    const { owner, reportId } = await newReportSite();
    await join(owner.token, reportId);
    const now = stopClock();
    const checks = await runInDurableObject(roomOf(reportId), async (room, state) => {
      await room.recheck();
      const recheck = vi.spyOn(room, "recheck").mockResolvedValue();
      const [socket] = state.getWebSockets();
      const counts: number[] = [];
      for (const elapsed of [reports.ROOM_RECHECK_INTERVAL_MS, reports.ROOM_RECHECK_INTERVAL_MS + 1]) {
        vi.setSystemTime(now + elapsed);
        if (socket !== undefined) room.webSocketMessage(socket, new Uint8Array([1, 1, 0]).buffer);
        counts.push(recheck.mock.calls.length);
      }
      recheck.mockRestore();
      return counts;
    });
    expect(checks).toEqual([0, 1]);
  });

  test("EDIT_ANNOUNCE_INTERVAL_MS: viewers hear of edits once in this time", async () => {
    const { organizationId, owner, reportId } = await newReportSite();
    await keepJobs(organizationId);
    await join(owner.token, reportId);
    const announced = async () => {
      const sql = "SELECT count(*) AS n FROM jobs WHERE tenant_id = ? AND payload LIKE '%state-updated%'";
      return (await env.DB.prepare(sql).bind(organizationId).first<{ n: number }>())?.n ?? 0;
    };
    const interval = reports.EDIT_ANNOUNCE_INTERVAL_MS;
    const from = stopClock() + 10 * interval;
    const context = systemContext();
    const [before, ...counts] = await runInDurableObject(roomOf(reportId), async ({ draft }) => {
      const map: Y.Map<unknown> = draft.doc.getMap(SHARED_MAP);
      const settle = async (at: number, edit?: string) => {
        if (edit !== undefined) map.set("edit", edit);
        await draft.settle(context, reportId, at);
        return announced();
      };
      const all = [await announced(), await settle(from, "a"), await settle(from + 1, "b")];
      all.push(draft.dueAt(from + 1) === from + interval ? all.length : -1);
      all.push(await settle(from + interval - 1), await settle(from + interval));
      // An edit at the end of the next interval is announced at once.
      all.push(await settle(from + 2 * interval - 1, "c"), await settle(from + 2 * interval, "d"));
      return all;
    });
    const start = before ?? 0;
    expect(counts).toEqual([start + 1, start + 1, 3, start + 1, start + 2, start + 2, start + 3]);
  });
});
