/** A PDF from the bodies of its objects, 1 first; object 1 is the catalogue. Its cross-reference table is right. */
export function pdfOf(...bodies: string[]): Uint8Array {
  let text = "%PDF-1.7\n";
  const offsets = bodies.map((body, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  const start = text.length;
  const rows = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer\n<< /Size ${bodies.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

export const stream = (dictionary: string, content: string): string =>
  `<< ${dictionary} /Length ${content.length} >>\nstream\n${content}\nendstream`;

const FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
const CATALOGUE = "<< /Type /Catalog /Pages 2 0 R >>";
const PAGES = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";

/** A page whose forms draw each other. `forms` are the contents of /F0, /F1 …, and each can draw every other. */
export function pdfWithForms(forms: readonly string[]): Uint8Array {
  const first = 6;
  const names = forms.map((_, i) => `/F${i} ${first + i} 0 R`).join(" ");
  const resources = `/Resources << /Font << /T 5 0 R >> /XObject << ${names} >> >>`;
  return pdfOf(
    CATALOGUE,
    PAGES,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R ${resources} >>`,
    stream("", "BT /T 12 Tf 10 100 Td (Before the form) Tj ET /F0 Do"),
    FONT,
    ...forms.map((content) => stream(`/Type /XObject /Subtype /Form /BBox [0 0 200 200] ${resources}`, content)),
  );
}

/** A page tree whose node is its own child. */
export const pdfWithLoopingPages = (): Uint8Array =>
  pdfOf(CATALOGUE, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 100000 >>");

/** A PDF with one page, object 3, in a tree whose root contains `root`. `nodes` are the objects from 6 on. */
export const pdfWithPages = (root: string, nodes: readonly string[] = []): Uint8Array =>
  pdfOf(
    CATALOGUE,
    `<< /Type /Pages ${root} >>`,
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> >> >>",
    stream("", "BT /T 12 Tf 10 100 Td (Once.) Tj ET"),
    FONT,
    ...nodes,
  );
