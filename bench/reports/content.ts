import jpeg from "jpeg-js";

const WORDS =
  "the quay wall stands on sheet piles whose upper edge was measured at each bollard after the storm of October while the tide gauge and both light masts were read again and nothing moved but the fender at berth four".split(
    " ",
  );

/** Pseudo-random numbers from 0 to 1, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Markdown of about two A4 pages for each chapter: headings, paragraphs, lists and tables. */
export function longBody(chapters = 13): string {
  const next = numbers(7);
  const sentence = () =>
    `${Array.from({ length: 18 }, () => WORDS[Math.floor(next() * WORDS.length)]).join(" ")}.`.replace(/^./, (c) =>
      c.toUpperCase(),
    );
  const chapter = (number: number) => `# Chapter ${number}

${Array.from({ length: 5 }, () => Array.from({ length: 5 }, sentence).join(" ")).join("\n\n")}

## Measured

| Bollard | North, m | East, m | Height, m | Remark |
|---|---|---|---|---|
${Array.from({ length: 16 }, (_, row) => `| ${number}.${row} | ${(next() * 900).toFixed(2)} | ${(next() * 900).toFixed(2)} | ${(next() * 9).toFixed(3)} | ${WORDS[row]} |`).join("\n")}

${Array.from({ length: 6 }, () => `- ${sentence()}`).join("\n")}
`;
  return Array.from({ length: chapters }, (_, number) => chapter(number + 1)).join("\n");
}

/** A picture like a camera's picture: soft shapes with fine noise, 4,000 × 3,000 pixels in about two megabytes. */
export function photo(): Uint8Array {
  const [width, height] = [4_000, 3_000];
  const next = numbers(11);
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const shade = 128 + 60 * Math.sin(x / 190) * Math.cos(y / 130) + 30 * Math.sin((x + y) / 23);
      const grain = (next() - 0.5) * 14;
      data[at] = shade + grain;
      data[at + 1] = shade * 0.9 + grain + 20;
      data[at + 2] = 200 - shade * 0.5 + grain;
      data[at + 3] = 255;
    }
  return new Uint8Array(jpeg.encode({ data, width, height }, 82).data);
}

/**
 * The same scene with another brightness: one entry of its quantization table differs, so every block decodes
 * differently.
 */
export function variant(jpeg: Uint8Array, number: number): Uint8Array {
  const copy = Uint8Array.from(jpeg);
  const table = copy.findIndex((byte, at) => byte === 0xff && copy[at + 1] === 0xdb) + 5;
  const entry = table + (number % 12);
  copy[entry] = (copy[entry] ?? 0) + 1 + Math.floor(number / 12);
  return copy;
}
