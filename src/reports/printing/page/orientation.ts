import { BEGIN } from "./fit";
import { MAX_WARNINGS } from "./scripts";

/**
 * Turns the paper of sections: `data-orientation="landscape"` or `"portrait"` gives a section pages of its own, `report-landscape`
 * or `report-portrait`, unless the paper around it has that orientation. It runs before anything is measured.
 * @returns (as JSON) the `PrintWarning`s: sections that the browser cannot give pages of their own.
 */
export const TURN = `(() => {
  ${BEGIN}
  remove(probe);
  const { width, height } = general;
  const sections = findAll(body, "[data-orientation]");
  if (sections.length === 0 || !(width > 0) || width === height) return JSON.stringify(warnings);
  const orientationOf = (section) => (attribute(section, "data-orientation") ?? "").trim().toLowerCase();
  const around = new Map();
  for (const section of sections) {
    let outer = parentOf(section);
    while (outer !== null && !around.has(outer)) outer = parentOf(outer);
    const present = outer === null ? (width > height ? "landscape" : "portrait") : around.get(outer);
    const wanted = orientationOf(section);
    if (!/^(landscape|portrait)$/.test(wanted) || wanted === present) continue;
    if (!isFlowing(section)) {
      if (warnings.length < ${MAX_WARNINGS})
        warnings.push({ code: "orientation-without-effect", at: quote(text(section)), detail: "This section cannot have paper of its own, because it is in a grid, a row of boxes, columns, a table or a floating box. Move it out of it." });
      continue;
    }
    around.set(section, wanted);
    styleOf(section).setProperty("page", "report-" + wanted);
  }
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  const sizes = { "report-landscape": [long, short], "report-portrait": [short, long] };
  const sheet = create(document, "style");
  // A size of the stylesheet stays.
  for (const [name, turned] of Object.entries(sizes)) {
    const [across, down] = said.get(name)?.size ?? turned;
    sheet.textContent += "@page " + name + " { size: " + across + "px " + down + "px } ";
  }
  // The browser takes the last rule of a page, also if it names the page less exactly.
  append(find(root, "head") ?? root, sheet);
  return JSON.stringify(warnings);
})`;
