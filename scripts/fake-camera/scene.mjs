/** Days from the foundation of a building to its roof. */
const BUILDING_DAYS = 14;
const FLOORS = 9;
const DAY_MS = 86_400_000;

/** 3 × 5 dots of the digits, the colon and the hyphen, row by row. */
const GLYPHS = {
  0: "111101101101111",
  1: "010110010010111",
  2: "111001111100111",
  3: "111001111001111",
  4: "101101111001001",
  5: "111100111001111",
  6: "111100111101111",
  7: "111001010010010",
  8: "111101111101111",
  9: "111101111001111",
  ":": "000010000010000",
  "-": "000000111000000",
  " ": "000000000000000",
};

/** @typedef {[number, number, number]} Colour */

const mix = (a, b, t) => a.map((value, i) => value + (b[i] - value) * Math.min(1, Math.max(0, t)));

/** Colours of the sky at its top and at the horizon by the sun's height: night, dusk, day. */
const SKY = [
  { height: -0.3, top: [8, 12, 34], horizon: [22, 28, 58] },
  { height: 0, top: [58, 66, 120], horizon: [236, 142, 84] },
  { height: 0.3, top: [82, 146, 218], horizon: [190, 220, 240] },
  { height: 1, top: [64, 136, 224], horizon: [206, 230, 246] },
];

function skyAt(height) {
  const next = SKY.findIndex((stop) => stop.height >= height);
  if (next <= 0) return next === 0 ? SKY[0] : SKY[SKY.length - 1];
  const [from, to] = [SKY[next - 1], SKY[next]];
  const t = (height - from.height) / (to.height - from.height);
  return { top: mix(from.top, to.top, t), horizon: mix(from.horizon, to.horizon, t) };
}

/** Reproducible random numbers from 0 up to 1 for a seed (mulberry32). */
function seeded(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Draws a building site at a time: sky, sun or moon, stars, a building that grows floor by
 * floor, lit windows, and the time in UTC.
 * @param {number} time milliseconds since the epoch
 * @param {{ width: number, height: number, site?: number }} of size in pixels, and the number of the site
 * @returns {{ width: number, height: number, data: Uint8Array }} RGBA
 */
export function drawScene(time, { width, height, site = 0 }) {
  const data = new Uint8Array(width * height * 4);
  const hour = ((time % DAY_MS) / DAY_MS) * 24;
  const sun = Math.cos(((hour - 13) / 24) * 2 * Math.PI);
  const { top, horizon } = skyAt(sun);
  const light = Math.min(1, Math.max(0.16, sun + 0.35));
  const ground = Math.round(height * 0.78);
  const set = (x, y, [r, g, b]) => {
    if (x < 0 || y < 0 || x >= width || y >= height) return;
    data.set([r, g, b, 255], 4 * (y * width + x));
  };
  const fill = (x0, y0, x1, y1, colour) => {
    for (let y = Math.round(y0); y < y1; y++) for (let x = Math.round(x0); x < x1; x++) set(x, y, colour);
  };
  const disc = (cx, cy, radius, colour) => {
    for (let y = -radius; y <= radius; y++)
      for (let x = -radius; x <= radius; x++)
        if (x * x + y * y <= radius * radius) set(Math.round(cx + x), Math.round(cy + y), colour);
  };
  const lit = (colour) => colour.map((value) => value * light);

  for (let y = 0; y < ground; y++) fill(0, y, width, y + 1, mix(top, horizon, y / ground));
  const random = seeded(1_000 + site);
  if (sun < 0)
    for (let i = 0; i < 90; i++) {
      const [x, y, bright] = [random() * width, random() * ground * 0.7, 90 + random() * 150];
      set(Math.round(x), Math.round(y), mix(skyAt(sun).top, [bright, bright, bright], -sun * 2));
    }
  const arc = (at) => [width * (0.08 + 0.84 * at), ground * (0.85 - 0.7 * Math.sin(at * Math.PI))];
  const radius = Math.round(height / 24);
  if (hour > 6.5 && hour < 19.5)
    disc(...arc((hour - 6.5) / 13), radius, mix([255, 150, 70], [255, 244, 200], sun * 1.6));
  else disc(...arc(((hour + 4.5) % 24) / 11), Math.round(radius * 0.8), [226, 230, 236]);

  fill(0, ground, width, height, lit([112, 98, 78]));
  const noise = seeded(Math.floor(time / 60_000) * 31 + site);
  for (let i = 0; i < (width * height) / 60; i++) {
    const [x, y] = [Math.floor(noise() * width), ground + Math.floor(noise() * (height - ground))];
    set(x, y, lit(mix([96, 84, 66], [140, 124, 100], noise())));
  }

  const progress = ((time / DAY_MS + site * 5) % BUILDING_DAYS) / BUILDING_DAYS;
  const floors = Math.floor(progress * (FLOORS + 1));
  const [left, wide, tall] = [width * (0.34 + 0.06 * (site % 3)), width * 0.3, height * 0.06];
  for (let floor = 0; floor < floors; floor++) {
    const base = ground - floor * tall;
    fill(left, base - tall, left + wide, base, lit([150 + 6 * site, 146, 140]));
    fill(left, base - 3, left + wide, base, lit([96, 94, 92]));
    for (let window = 0; window < 8; window++) {
      const x = left + (wide / 8) * (window + 0.25);
      const isLit = sun < 0.1 && seeded(floor * 100 + window + Math.floor(time / 3_600_000) * 7)() < 0.4;
      fill(x, base - tall * 0.75, x + wide / 16, base - tall * 0.25, isLit ? [250, 214, 120] : lit([70, 92, 112]));
    }
  }
  const mast = left + wide * 1.15;
  fill(mast, ground - height * 0.62, mast + width * 0.008, ground, lit([206, 160, 40]));
  const reach = width * 0.22 * Math.cos(time / 1_500_000 + site);
  const [from, to] = [Math.min(mast, mast + reach), Math.max(mast, mast + reach)];
  fill(from, ground - height * 0.62, to, ground - height * 0.608, lit([206, 160, 40]));
  fill(mast + reach * 0.9, ground - height * 0.608, mast + reach * 0.9 + 2, ground - height * 0.4, lit([60, 60, 60]));

  const dot = Math.max(2, Math.round(height / 200));
  const text = new Date(time).toISOString().slice(0, 16).replace("T", " ");
  fill(0, 0, (text.length * 4 + 2) * dot, 9 * dot, [0, 0, 0]);
  for (const [n, letter] of [...text].entries())
    for (const [i, on] of [...GLYPHS[letter]].entries()) {
      const [x, y] = [(n * 4 + 2 + (i % 3)) * dot, (2 + Math.floor(i / 3)) * dot];
      if (on === "1") fill(x, y, x + dot, y + dot, [240, 240, 240]);
    }
  return { width, height, data };
}
