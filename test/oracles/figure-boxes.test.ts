import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failuresOf } from "./matterhorn.ts";
import { type Json, Objects, textIn } from "./pdf-objects.ts";
import { usePrintingService } from "./printing-service.ts";

/* Poppler draws the pages, and each picture has a colour of its own: its box must be where that colour is. */

const service = usePrintingService();
const file = join(service.folder, "figures.pdf");

/** Pixels of a point. */
const SCALE = 3;
/** How far a box may be from the colour: the edge of a picture can cover a part of a pixel. Points. */
const TOLERANCE = 1;

type Box = [left: number, bottom: number, right: number, top: number];
type Colour = [red: number, green: number, blue: number];

interface Shown {
  /** Its alternative text is its name, too. */
  name: string;
  colour: Colour;
  html(fill: string): string;
  /** Maximum distance of its box from the colour, points. The box of words is as high as their line. */
  beyond?: number;
}

const data = (fill: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60" fill="${fill}"/></svg>`)}`;

const SHOWN: readonly Shown[] = [
  { name: "plain", colour: [200, 0, 0], html: (fill) => `<img alt="plain" src="${data(fill)}">` },
  {
    name: "turned",
    colour: [0, 200, 0],
    html: (fill) => `<p style="margin:60px"><img alt="turned" style="transform:rotate(30deg)" src="${data(fill)}"></p>`,
  },
  {
    name: "cut",
    colour: [0, 0, 200],
    html: (fill) =>
      `<div style="width:50px;height:30px;overflow:hidden"><img alt="cut" style="margin:-10px" src="${data(fill)}"></div>`,
  },
  {
    name: "covering",
    colour: [200, 200, 0],
    html: (fill) =>
      `<img alt="covering" style="width:200px;height:40px;object-fit:cover;border-radius:12px" src="${data(fill)}">`,
  },
  {
    name: "in a group",
    colour: [0, 200, 200],
    html: (fill) =>
      `<div style="opacity:.99;transform:translate(40px,7px) scale(.8)"><p>Words</p><img alt="in a group" src="${data(fill)}"></div>`,
  },
  {
    name: "drawing",
    colour: [200, 0, 200],
    html: (fill) =>
      `<svg width="300" height="80"><title>drawing</title><circle cx="120" cy="40" r="20" fill="${fill}" stroke="${fill}" stroke-width="9"/></svg>`,
  },
  {
    name: "drawing with a group",
    colour: [120, 60, 0],
    html: (fill) =>
      `<svg width="300" height="80"><title>drawing with a group</title><g opacity=".99" transform="rotate(20)"><rect x="50" y="5" width="40" height="20" fill="${fill}"/><path d="M100 10 l30 5 l-10 20 z" fill="${fill}"/></g></svg>`,
  },
  {
    name: "drawing with words",
    colour: [255, 120, 0],
    html: (fill) =>
      `<svg width="300" height="80"><title>drawing with words</title><text x="60" y="50" font-size="40" fill="${fill}">Quay</text></svg>`,
    beyond: 20,
  },
  {
    name: "on wide paper",
    colour: [0, 90, 0],
    html: (fill) => `<section style="page:wide"><img alt="on wide paper" src="${data(fill)}"></section>`,
  },
];

/** The box of a colour on a page that poppler has drawn. */
function boxOf(picture: Buffer, [red, green, blue]: Colour): Box | null {
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(picture.toString("latin1", 0, 64));
  if (head === null) throw new Error("poppler wrote another format");
  const [width, height] = [Number(head[1]), Number(head[2])];
  const is = (at: number, wanted: number) => Math.abs((picture[at] ?? 999) - wanted) < 40;
  let found: Box | null = null;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = head[0].length + (y * width + x) * 3;
      if (!(is(at, red) && is(at + 1, green) && is(at + 2, blue))) continue;
      const [left, bottom, right, top]: Box = found ?? [x, height - y - 1, x + 1, height - y];
      found = [Math.min(left, x), Math.min(bottom, height - y - 1), Math.max(right, x + 1), Math.max(top, height - y)];
    }
  return found === null ? null : (found.map((pixel) => pixel / SCALE) as Box);
}

/** The page and the box of each figure, by its alternative text. */
function figuresOf(objects: Objects): Map<string, { page: number; box: Box }> {
  const found = new Map<string, { page: number; box: Box }>();
  const pageOf = (value: Json): string[] => {
    const dict = objects.dict(value);
    return dict["/Pg"] === undefined ? objects.list(dict["/K"]).flatMap(pageOf) : [String(dict["/Pg"])];
  };
  for (const number of objects.numbers) {
    const dict = objects.dict(number);
    if (dict["/S"] !== "/Figure") continue;
    const layout = objects
      .list(dict["/A"])
      .map((one) => objects.dict(one))
      .find((one) => one["/O"] === "/Layout");
    const [page] = pageOf(number);
    expect(layout, textIn(dict["/Alt"])).toBeDefined();
    found.set(textIn(dict["/Alt"]), {
      page: objects.pages.findIndex(({ ref }) => ref === page) + 1,
      box: objects.list(layout?.["/BBox"]).map(Number) as Box,
    });
  }
  return found;
}

test("the box of each figure is where poppler draws it", async () => {
  const fill = (colour: Colour) => `rgb(${colour.join(",")})`;
  const body = SHOWN.map((one) => one.html(fill(one.colour))).join("\n");
  const html = `<html lang="en"><head><title>Figures</title><style>@page { size: A4; margin: 20mm } @page wide { size: A4 landscape }</style></head>
    <body><h1>Figures</h1>${body}</body></html>`;
  const printed = await fetch(`${service.url}/guarded`, { method: "POST", body: html });
  writeFileSync(file, new Uint8Array(await printed.arrayBuffer()));
  const objects = new Objects(file);
  expect(failuresOf(objects)).toEqual({});
  const figures = figuresOf(objects);
  expect([...figures.keys()].sort()).toEqual(SHOWN.map(({ name }) => name).sort());
  for (const { name, colour, beyond = 0 } of SHOWN) {
    const { page, box } = figures.get(name) as { page: number; box: Box };
    const picture = join(service.folder, "page");
    const one = ["-f", String(page), "-l", String(page), "-singlefile", "-r", String(72 * SCALE)];
    execFileSync("pdftoppm", [...one, file, picture]);
    const drawn = boxOf(readFileSync(`${picture}.ppm`), colour);
    expect(drawn, `${name} on page ${page}`).not.toBeNull();
    // Positive: the box reaches beyond the colour.
    const more = (drawn as Box).map((side, at) => (at < 2 ? side - (box[at] ?? 0) : (box[at] ?? 0) - side));
    expect(Math.min(...more), `${name}: ${box} does not hold ${drawn}`).toBeGreaterThan(-TOLERANCE);
    expect(Math.max(...more), `${name}: ${box} is larger than ${drawn}`).toBeLessThan(TOLERANCE + beyond);
  }
});
