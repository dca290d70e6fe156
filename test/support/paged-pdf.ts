/** A PDF of `pages` pages. Each has a sentence with a unique word: `lantern1`, `lantern2`, … */
export function pagedPdf(pages: number): Uint8Array<ArrayBuffer> {
  const objects: string[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${Array.from({ length: pages }, (_, n) => `${4 + 2 * n} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (let page = 1; page <= pages; page++) {
    const text = `BT /F1 12 Tf 72 720 Td (The keeper of page ${page} lights lantern${page} at dusk.) Tj ET`;
    const body = `/Resources << /Font << /F1 3 0 R >> >> /MediaBox [0 0 595 842] /Contents ${objects.length + 2} 0 R`;
    objects.push(`<< /Type /Page /Parent 2 0 R ${body} >>`);
    objects.push(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
  }
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, n) => {
    const offset = file.length;
    file += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return String(offset).padStart(10, "0");
  });
  const xref = file.length;
  const entries = offsets.map((offset) => `${offset} 00000 n \n`).join("");
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Uint8Array.from(new TextEncoder().encode(file));
}
