import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Resvg } from "@cf-wasm/resvg/node";
import { LANGUAGES, textsOf, withTexts } from "../in-language.mjs";

/* What a phone needs to install the console: its description, its icons, its service worker and a page without a network. */

const COLOUR = "#0b6478";
const LOGO = "M4 27V9l8 9V5h4v22l-8-9v9zM20 5h4v14l4-4v6l-8 6z";

/** The icon as PNG. `share` is the part of its width that the logo has: phones cut the edges of a maskable icon. */
async function icon(width, share) {
  const scale = (32 * share) / 32;
  const offset = (32 - 32 * scale) / 2;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="${COLOUR}"/>
    <path fill="#ffffff" transform="translate(${offset} ${offset}) scale(${scale})" d="${LOGO}"/></svg>`;
  const drawn = await Resvg.async(svg, { fitTo: { mode: "width", value: width } });
  return Buffer.from(drawn.render().asPng());
}

const png = (size, purpose, file) => ({
  src: `/console/app/${file}`,
  sizes: `${size}x${size}`,
  type: "image/png",
  purpose,
});

/** The description of the installed console in one language. */
function manifestIn(language) {
  const { title, shortTitle } = textsOf(language, "console");
  return {
    id: "/console/",
    name: title,
    short_name: shortTitle,
    lang: language,
    start_url: "/console/locations",
    scope: "/console/",
    display: "standalone",
    background_color: "#f4f5f6",
    theme_color: COLOUR,
    icons: [
      png(192, "any", "icon-192.png"),
      png(512, "any", "icon-512.png"),
      png(512, "maskable", "icon-maskable.png"),
    ],
    share_target: {
      action: "/console/share",
      method: "POST",
      enctype: "multipart/form-data",
      params: { files: [{ name: "files", accept: ["image/*", "video/*", "audio/*", "text/*", "application/*"] }] },
    },
  };
}

/** The files below `console/app` by their names. */
export async function appFiles() {
  const page = readFileSync(join(import.meta.dirname, "index.html"), "utf8");
  const inLanguages = LANGUAGES.flatMap((language) => [
    [`${language}.html`, Buffer.from(withTexts(page, language, "console"))],
    [`${language}.webmanifest`, Buffer.from(JSON.stringify(manifestIn(language)))],
  ]);
  return [
    ...inLanguages,
    ["worker.js", readFileSync(join(import.meta.dirname, "worker.js"))],
    ["icon-192.png", await icon(192, 0.72)],
    ["icon-512.png", await icon(512, 0.72)],
    ["icon-maskable.png", await icon(512, 0.56)],
  ];
}
