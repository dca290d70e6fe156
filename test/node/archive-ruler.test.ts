import { expect, test } from "vitest";
import type { Palette } from "../../web/archive/causes.ts";
import { Clock, DAY, HOUR, MINUTE } from "../../web/archive/clock.ts";
import { drawMini, drawRuler } from "../../web/archive/draw.ts";
import { Frames, type Gap } from "../../web/archive/frames.ts";
import type { Pen } from "../../web/archive/scene.ts";
import { RulerView } from "../../web/archive/view.ts";

/* The cost and the content of the ruler of an archive, with a pen that counts its calls. */

const WIDTH = 1_400;
const HEIGHT = 94;
const LAST = Date.UTC(2026, 10, 22, 13, 34);

const palette: Palette = {
  colours: {
    text: "text",
    "text-2": "text-2",
    "text-3": "text-3",
    "line-strong": "line-strong",
    surface: "surface",
    cover: "cover",
    density: "density",
    tick: "tick",
    gap: "gap",
    calm: "calm",
    late: "late",
    silent: "silent",
  },
  hatches: {
    offline: "hatch offline",
    "camera-fault": "hatch camera-fault",
    paused: "hatch paused",
    "outside-window": "hatch outside-window",
    unknown: "hatch unknown",
  },
  font: "sans-serif",
};

/** A pen that records its rectangles and texts. */
function countingPen() {
  const rectangles: { style: unknown; x: number; width: number; height: number }[] = [];
  const texts: string[] = [];
  let calls = 0;
  const pen: Pen = {
    fillStyle: "",
    strokeStyle: "",
    lineWidth: 1,
    globalAlpha: 1,
    font: "",
    fillRect(x, _y, width, height) {
      calls += 1;
      rectangles.push({ style: pen.fillStyle, x, width, height });
    },
    strokeRect: () => {
      calls += 1;
    },
    fillText(text) {
      calls += 1;
      texts.push(text);
    },
    measureText: (text) => ({ width: 7 * text.length }),
    beginPath: () => {},
    roundRect: () => {},
    fill: () => {
      calls += 1;
    },
  };
  return { pen, rectangles, texts, calls: () => calls };
}

/** Frames at an interval until LAST, except in a gap. */
function archiveOf(count: number, step: number, gaps: readonly Gap[] = []): Frames {
  const times: number[] = [];
  for (let at = LAST; times.length < count; at -= step)
    if (!gaps.some(({ start, end }) => at > start && at < end)) times.push(at);
  return new Frames(Float64Array.from(times.reverse()), gaps, false);
}

/** Draws the last part of an archive, and some time after its last frame. */
function drawn(frames: Frames, span: number, after = 0) {
  const view = new RulerView();
  view.width = WIDTH;
  view.setLimits(frames.first, frames.end);
  view.show(LAST + after - span, LAST + after);
  const scene = { frames, view, clock: new Clock("Europe/Helsinki"), palette, at: LAST, hover: 100 };
  const ruler = countingPen();
  drawRuler(ruler.pen, scene, HEIGHT);
  const mini = countingPen();
  drawMini(mini.pen, scene, WIDTH, 30);
  return { ...ruler, mini, view };
}

test("the cost of drawing depends on the width, not on the number of frames", () => {
  for (const span of [HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY, 250 * DAY]) {
    const costs = [20_000, 200_000].map((count) => {
      const { calls, mini } = drawn(archiveOf(count, 18 * MINUTE * (20_000 / count)), span);
      expect(mini.calls()).toBeLessThan(WIDTH / 2);
      return calls();
    });
    for (const cost of costs) expect([span, cost < 1.5 * WIDTH]).toEqual([span, true]);
  }
});

test("the minimap of a short archive has no column without a frame", () => {
  const { mini } = drawn(archiveOf(400, 20 * MINUTE), DAY);
  const columns = mini.rectangles.filter(({ style }) => style === "density");
  expect(columns.slice(1).filter(({ x }, i) => x > (columns[i]?.x ?? 0) + (columns[i]?.width ?? 0))).toEqual([]);
  expect(columns.length).toBeGreaterThan(100);
});

test("many frames within one pixel are one tick", () => {
  const burst = Array.from({ length: 10_000 }, (_, i) => LAST - HOUR + i);
  const sparse = Array.from({ length: 100 }, (_, i) => LAST - i * 20 * MINUTE).reverse();
  const times = Float64Array.from([...sparse, ...burst].sort((a, b) => a - b));
  expect(drawn(new Frames(times, [], false), 2 * HOUR).calls()).toBeLessThan(WIDTH);
});

test("a column of twice the rate is twice as high, and a gap inside a bin does not lower it", () => {
  const gap: Gap = { start: LAST - 40 * HOUR, end: LAST - 40 * HOUR + 90 * MINUTE, cause: "offline" };
  const slow = Array.from({ length: 500 }, (_, i) => LAST - 10 * DAY - (i + 1) * 20 * MINUTE);
  const fast = Array.from({ length: 1440 }, (_, i) => LAST - i * 10 * MINUTE);
  const times = [...slow, ...fast].filter((at) => at <= gap.start || at >= gap.end).sort((a, b) => a - b);
  const { rectangles, view } = drawn(new Frames(Float64Array.from(times), [gap], false), 16 * DAY);
  const columns = rectangles.filter(({ style }) => style === "density");
  const heightAt = (at: number) =>
    columns.find(({ x, width }) => x <= view.x(at) && view.x(at) < x + width)?.height ?? 0;
  const [usual, half] = [heightAt(LAST - 5 * DAY), heightAt(LAST - 13 * DAY)];
  expect(half / usual).toBeCloseTo(0.5, 1);
  expect(heightAt(gap.start - 30 * MINUTE) / usual).toBeCloseTo(1, 1);
});

test("each gap is drawn, even the shortest, and has a name if there is space", () => {
  const gaps: Gap[] = [
    { start: LAST - 200 * DAY, end: LAST - 200 * DAY + HOUR, cause: "camera-fault" },
    { start: LAST - 60 * DAY, end: LAST - 30 * DAY, cause: "paused" },
  ];
  const { rectangles, texts, view } = drawn(archiveOf(20_000, 18 * MINUTE, gaps), 250 * DAY);
  const short = rectangles.filter(({ x }) => Math.abs(x - view.x(gaps[0]?.start ?? 0)) < 0.01);
  expect(short.map(({ style, width }) => [style, width >= 2])).toEqual([
    ["gap", true],
    ["late", true],
  ]);
  expect(texts).toContain("Paused · 30 d");
  expect(rectangles.some(({ style }) => style === "hatch paused")).toBe(true);
});

test("the gap until now is drawn after the last frame, on the ruler and on the minimap", () => {
  const gap: Gap = { start: LAST, end: LAST + 6 * HOUR, cause: "offline", isOpen: true };
  const frames = new Frames(archiveOf(36, 20 * MINUTE).times, [gap], false);
  const { rectangles, texts, mini, view } = drawn(frames, 12 * HOUR, 6 * HOUR);
  const hatched = rectangles.filter(({ style }) => style === "hatch offline");
  expect(hatched).toHaveLength(1);
  expect(hatched[0]?.x).toBeCloseTo(view.x(LAST), 6);
  expect(hatched[0]?.width).toBeCloseTo((6 * HOUR) / view.perPixel, 6);
  expect(texts).toContain("No heartbeat · 6 h");
  // A third of the minimap: 12 hours with frames, and 6 without.
  const silent = mini.rectangles.filter(({ style }) => style === "silent").map(({ x, width }) => [x, width]);
  const [x = 0, width = 0] = silent[0] ?? [];
  expect([x / WIDTH, width / WIDTH]).toEqual([expect.closeTo(0.66, 1), expect.closeTo(0.34, 1)]);
});

test("the columns do not change while one pans", () => {
  const frames = archiveOf(20_000, 10 * MINUTE);
  const view = new RulerView();
  view.width = WIDTH;
  view.setLimits(frames.first, frames.end);
  const heights = new Set<number>();
  view.show(LAST - 40 * DAY, LAST - 20 * DAY);
  for (let step = 0; step < 50; step++) {
    view.pan(7 * MINUTE + step);
    const { pen, rectangles } = countingPen();
    drawRuler(pen, { frames, view, clock: new Clock("Europe/Helsinki"), palette, at: null, hover: null }, HEIGHT);
    for (const { style, height } of rectangles) if (style === "density") heights.add(Math.round(height * 100));
  }
  expect(heights.size).toBe(1);
});

test("years are shown where they change, and hours are shown by the local clock", () => {
  const years = drawn(archiveOf(20_000, DAY / 8), 2_000 * DAY).texts;
  expect(years).toEqual(expect.arrayContaining(["2023", "2024", "2025", "2026"]));
  const hours = drawn(archiveOf(20_000, 20 * MINUTE), 10 * HOUR).texts;
  expect(hours).toContain("15:00");
  expect(hours).not.toContain("13:34");
});
