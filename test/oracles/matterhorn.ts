import { type Contents, charactersIn, glyphWidths, readContents, toldWidths } from "./pdf-content.ts";
import { type Dict, type Json, type Objects, textIn } from "./pdf-objects.ts";

/*
 * The conditions of the Matterhorn Protocol 1.1 that a program can test (PDF Association): what makes a file fail PDF/UA-1.
 * It reads the file with qpdf, and shares no code with the service. `docs/reference/printed-pdf.md` lists the same numbers.
 */

const STANDARD = new Set(
  "Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form".split(
    " ",
  ),
);

interface Element {
  dict: Dict;
  type: string;
  kids: Element[];
  annotations: string[];
  above: Element | null;
}

interface File {
  objects: Objects;
  elements: Element[];
  contents: Contents;
  xmp: string;
  roles: Dict;
  /** Each object as text. */
  written: [ref: string, text: string][];
  notes: { ref: string; dict: Dict; page: Dict }[];
  fonts: { ref: string; dict: Dict; codes: Set<number> }[];
}

const nameOf = (name: Json | undefined): string => String(name ?? "").replace(/^\//, "");

function openFile(objects: Objects): File {
  const root = objects.dict(objects.catalogue["/StructTreeRoot"]);
  const roles = objects.dict(root["/RoleMap"]);
  const elements: Element[] = [];
  const mapped = (type: string): string => {
    for (let turn = 0; turn < 9 && !STANDARD.has(type) && roles[`/${type}`] !== undefined; turn++)
      type = nameOf(roles[`/${type}`]);
    return type;
  };
  const open = (value: Json, above: Element | null): void => {
    const dict = objects.dict(value);
    if (dict["/S"] === undefined) return;
    const element: Element = { dict, type: mapped(nameOf(dict["/S"])), kids: [], annotations: [], above };
    elements.push(element);
    above?.kids.push(element);
    for (const kid of objects.list(dict["/K"])) {
      const object = objects.dict(kid)["/Obj"];
      if (object === undefined) open(kid, element);
      else element.annotations.push(String(object));
    }
  };
  for (const kid of objects.list(root["/K"])) open(kid, null);
  const contents = readContents(objects);
  return {
    objects,
    elements,
    contents,
    xmp: objects.bytes(objects.catalogue["/Metadata"]).toString("utf8"),
    roles,
    written: objects.numbers.map((ref) => [ref, JSON.stringify(objects.get(ref))]),
    notes: objects.pages.flatMap(({ dict: page }) =>
      objects.list(page["/Annots"]).map((ref) => ({ ref: String(ref), dict: objects.dict(ref), page })),
    ),
    fonts: [...contents.codes].map(([ref, codes]) => ({ ref, dict: objects.dict(ref), codes })),
  };
}

type Condition = (file: File) => string[];

const some = (found: boolean, what: string): string[] => (found ? [what] : []);
const ofType = ({ elements }: File, type: RegExp) => elements.filter((element) => type.test(element.type));
/** Conditions about something that a printed report never has: it must be absent. */
const absent =
  (what: RegExp): Condition =>
  ({ written }) =>
    written.filter(([, text]) => what.test(text)).map(([ref]) => `object ${ref}`);
const descendants = ({ objects }: File, font: Dict) =>
  objects.list(font["/DescendantFonts"]).map((below) => objects.dict(below));

const KIDS: Readonly<Record<string, RegExp>> = {
  Table: /^(TR|THead|TBody|TFoot|Caption)$/,
  THead: /^TR$/,
  TBody: /^TR$/,
  TFoot: /^TR$/,
  TR: /^(TH|TD)$/,
  L: /^(L|LI|Caption)$/,
  LI: /^(Lbl|LBody)$/,
  TOC: /^(TOC|TOCI|Caption)$/,
  Ruby: /^(RB|RT|RP)$/,
  Warichu: /^(WT|WP)$/,
};
const PLACES: Readonly<Record<string, RegExp>> = {
  TR: /^(Table|THead|TBody|TFoot)$/,
  TH: /^TR$/,
  TD: /^TR$/,
  THead: /^Table$/,
  TBody: /^Table$/,
  TFoot: /^Table$/,
  LI: /^L$/,
  LBody: /^LI$/,
  TOCI: /^TOC$/,
  RB: /^Ruby$/,
  RT: /^Ruby$/,
  RP: /^Ruby$/,
  WT: /^Warichu$/,
  WP: /^Warichu$/,
};
const misplaced =
  (family: RegExp): Condition =>
  (file) =>
    ofType(file, family).flatMap(({ type, kids, above }) => [
      ...kids.filter((kid) => KIDS[type]?.test(kid.type) === false).map((kid) => `${type} > ${kid.type}`),
      ...some(PLACES[type] !== undefined && !PLACES[type].test(above?.type ?? ""), `${above?.type} > ${type}`),
    ]);

const levels = (file: File): number[] => ofType(file, /^H[1-6]$/).map(({ type }) => Number(type.slice(1)));
const language: Condition = ({ objects }) =>
  some(!/^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(textIn(objects.catalogue["/Lang"])), "no language of the document");
const hasWords = (dict: Dict): boolean =>
  textIn(dict["/Alt"]).trim() !== "" || textIn(dict["/ActualText"]).trim() !== "";
const enclosing = ({ elements }: File, ref: string) => elements.filter(({ annotations }) => annotations.includes(ref));
const tables = (file: File) =>
  file.fonts.map(({ dict, codes }) => ({
    codes,
    characters: charactersIn(file.objects.bytes(dict["/ToUnicode"]).toString("latin1")),
  }));
const programs = (file: File) =>
  file.fonts.flatMap(({ dict, codes }) =>
    descendants(file, dict).flatMap((font) => {
      const program = file.objects.dict(font["/FontDescriptor"])["/FontFile2"];
      return program === undefined
        ? []
        : [{ codes, told: toldWidths(file.objects, font), real: glyphWidths(file.objects.bytes(program)) }];
    }),
  );

/** By the number of the condition: what of the file fails it. */
export const CONDITIONS: Readonly<Record<string, Condition>> = {
  "01-003": ({ contents }) => contents.artifactInTagged,
  "01-004": ({ contents }) => contents.taggedInArtifact,
  "01-005": ({ contents, elements, objects }) => [...contents.unmarked, ...looseParts(objects, elements, contents)],
  "01-007": ({ objects }) => some(objects.dict(objects.catalogue["/MarkInfo"])["/Suspects"] === true, "suspects"),
  "02-001": ({ elements }) => elements.filter(({ type }) => !STANDARD.has(type)).map(({ type }) => type),
  "02-003": ({ roles }) => Object.keys(roles).filter((role) => roles[String(roles[role])] !== undefined),
  "02-004": ({ roles }) => Object.keys(roles).filter((role) => STANDARD.has(nameOf(role))),
  "06-001": ({ xmp }) => some(xmp === "", "no metadata"),
  "06-002": ({ xmp }) => some(!/<pdfuaid:part>1<\/pdfuaid:part>/.test(xmp), "no identifier"),
  "06-003": ({ xmp }) => some(!/<dc:title>.*<rdf:li xml:lang="x-default">[^<]+</s.test(xmp), "no title"),
  "07-001": ({ objects }) =>
    some(objects.dict(objects.catalogue["/ViewerPreferences"])["/DisplayDocTitle"] === undefined, "no entry"),
  "07-002": ({ objects }) =>
    some(objects.dict(objects.catalogue["/ViewerPreferences"])["/DisplayDocTitle"] === false, "false"),
  "09-004": misplaced(/^(Table|TR|TH|TD|THead|TBody|TFoot)$/),
  "09-005": misplaced(/^(L|LI|LBody)$/),
  "09-006": misplaced(/^TOCI?$/),
  "09-007": misplaced(/^(Ruby|RB|RT|RP)$/),
  "09-008": misplaced(/^(Warichu|WT|WP)$/),
  "10-001": (file) =>
    tables(file).flatMap(({ codes, characters }) =>
      [...codes].filter((code) => !characters.get(code)).map((code) => `code ${code}`),
    ),
  "11-001": language,
  "11-002": language,
  "11-003": language,
  "11-004": language,
  "11-005": language,
  "11-006": language,
  "13-004": (file) =>
    ofType(file, /^Figure$/)
      .filter(({ dict }) => !hasWords(dict))
      .map(() => "a figure"),
  "14-002": (file) => some(levels(file).length > 0 && levels(file)[0] !== 1, "the first heading"),
  "14-003": (file) =>
    levels(file).flatMap((level, at, all) => some(at > 0 && level > (all[at - 1] ?? 0) + 1, `heading ${at}`)),
  "14-006": ({ elements }) =>
    elements.filter(({ kids }) => kids.filter(({ type }) => type === "H").length > 1).map(({ type }) => type),
  "14-007": (file) => some(ofType(file, /^H$/).length > 0 && levels(file).length > 0, "both"),
  "15-003": ({ objects, elements }) =>
    elements
      .filter(
        ({ type, dict }) =>
          type === "TH" && !objects.list(dict["/A"]).some((one) => objects.dict(one)["/Scope"] !== undefined),
      )
      .map(() => "a header cell"),
  "17-002": (file) =>
    ofType(file, /^Formula$/)
      .filter(({ dict }) => !hasWords(dict))
      .map(() => "a formula"),
  "17-003": (file) => (ofType(file, /^Formula$/).length > 0 ? (CONDITIONS["10-001"]?.(file) ?? []) : []),
  "19-003": (file) =>
    ofType(file, /^Note$/)
      .filter(({ dict }) => dict["/ID"] === undefined)
      .map(() => "a note"),
  "19-004": (file) => {
    const ids = ofType(file, /^Note$/).map(({ dict }) => textIn(dict["/ID"]));
    return some(new Set(ids).size < ids.length, "two notes");
  },
  "20-001": absent(/"\/OCProperties"/),
  "20-002": absent(/"\/OCProperties"/),
  "20-003": absent(/"\/OCProperties"/),
  "21-001": ({ objects }) =>
    objects.numbers.filter((ref) => {
      const dict = objects.dict(`${ref}`);
      return dict["/EF"] !== undefined && (dict["/F"] === undefined || dict["/UF"] === undefined);
    }),
  "25-001": absent(/"\/XFA"/),
  "26-001": ({ objects }) => some(objects.trailer["/Encrypt"] !== undefined, "encrypted"),
  "26-002": ({ objects }) => some(objects.trailer["/Encrypt"] !== undefined, "encrypted"),
  "28-002": ({ notes }) => notes.filter(({ dict }) => dict["/Subtype"] !== "/Link").map(({ ref }) => ref),
  "28-004": (file) =>
    file.notes
      .filter(
        ({ ref, dict }) => textIn(dict["/Contents"]) === "" && !enclosing(file, ref).some((one) => hasWords(one.dict)),
      )
      .map(({ ref }) => ref),
  "28-005": absent(/"\/AcroForm"/),
  "28-006": ({ notes }) => notes.filter(({ dict }) => dict["/Subtype"] !== "/Link").map(({ ref }) => ref),
  "28-007": absent(/"\/TrapNet"/),
  "28-008": ({ notes }) => notes.filter(({ page }) => page["/Tabs"] === undefined).map(({ ref }) => ref),
  "28-009": ({ notes }) => notes.filter(({ page }) => page["/Tabs"] !== "/S").map(({ ref }) => ref),
  "28-010": absent(/"\/Widget"/),
  "28-011": (file) =>
    file.notes
      .filter(
        ({ ref, dict }) => dict["/Subtype"] === "/Link" && !enclosing(file, ref).some(({ type }) => type === "Link"),
      )
      .map(({ ref }) => ref),
  "28-012": ({ notes }) =>
    notes
      .filter(({ dict }) => dict["/Subtype"] === "/Link" && textIn(dict["/Contents"]).trim() === "")
      .map(({ ref }) => ref),
  "28-014": absent(/"\/MediaClip"|"\/Rendition"/),
  "28-015": absent(/"\/MediaClip"|"\/Rendition"/),
  "28-016": absent(/"\/FileAttachment"/),
  "28-017": absent(/"\/PrinterMark"/),
  "28-018": absent(/"\/PrinterMark"/),
  "30-001": ({ objects }) =>
    objects.numbers.filter(
      (ref) => objects.dict(ref)["/Subtype"] === "/Form" && objects.dict(ref)["/Ref"] !== undefined,
    ),
  "30-002": ({ contents }) => [...contents.drawn].filter(([, times]) => times > 1).map(([ref]) => ref),
  "31-001": ({ fonts }) => otherMaps(fonts),
  "31-002": ({ fonts }) => otherMaps(fonts),
  "31-003": ({ fonts }) => otherMaps(fonts),
  "31-004": (file) =>
    file.fonts.flatMap(({ ref, dict }) =>
      descendants(file, dict).flatMap((font) =>
        some(font["/Subtype"] === "/CIDFontType2" && font["/CIDToGIDMap"] !== "/Identity", ref),
      ),
    ),
  "31-005": (file) =>
    file.fonts.flatMap(({ ref, dict }) =>
      descendants(file, dict).flatMap((font) =>
        some(font["/Subtype"] === "/CIDFontType2" && font["/CIDToGIDMap"] === undefined, ref),
      ),
    ),
  "31-006": ({ fonts }) => otherMaps(fonts),
  "31-007": ({ fonts }) => otherMaps(fonts),
  "31-008": ({ fonts }) => otherMaps(fonts),
  "31-009": (file) =>
    file.fonts.flatMap(({ ref, dict }) =>
      descendants(file, dict).flatMap((font) => {
        const descriptor = file.objects.dict(font["/FontDescriptor"]);
        return some(!["/FontFile", "/FontFile2", "/FontFile3"].some((key) => descriptor[key] !== undefined), ref);
      }),
    ),
  "31-011": (file) =>
    programs(file).flatMap(({ codes, real }) =>
      [...codes].filter((code) => code >= real.length).map((code) => `glyph ${code}`),
    ),
  "31-012": absent(/"\/CharSet"/),
  "31-013": absent(/"\/CharSet"/),
  "31-014": absent(/"\/CIDSet"/),
  "31-015": absent(/"\/CIDSet"/),
  "31-016": (file) =>
    programs(file).flatMap(({ codes, told, real }) =>
      [...codes]
        .filter((code) => Math.abs(told(code) - (real[code] ?? 0)) > 1)
        .map((code) => `glyph ${code}: ${told(code)}, ${real[code]}`),
    ),
  ...Object.fromEntries(
    ["31-017", "31-018", "31-019", "31-020", "31-021", "31-022", "31-023", "31-024", "31-025", "31-026"].map((id) => [
      id,
      ({ fonts }: File) => fonts.filter(({ dict }) => dict["/Subtype"] === "/TrueType").map(({ ref }) => ref),
    ]),
  ),
  "31-027": ({ fonts }) => fonts.filter(({ dict }) => dict["/ToUnicode"] === undefined).map(({ ref }) => ref),
  "31-028": (file) =>
    tables(file).flatMap(({ characters }) =>
      some(
        [...characters.values()].some((words) => words.includes("\0")),
        "U+0000",
      ),
    ),
  "31-029": (file) =>
    tables(file).flatMap(({ characters }) =>
      some(
        [...characters.values()].some((words) => /[\uFEFF\uFFFE]/.test(words)),
        "U+FEFF",
      ),
    ),
  "31-030": ({ fonts }) =>
    fonts.filter(({ dict, codes }) => dict["/Subtype"] === "/Type0" && codes.has(0)).map(({ ref }) => ref),
};

/** Conditions about maps of codes: only Identity-H is used, which needs none. */
const otherMaps = (fonts: File["fonts"]): string[] =>
  fonts
    .filter(({ dict }) => dict["/Subtype"] === "/Type0" && dict["/Encoding"] !== "/Identity-H")
    .map(({ ref }) => ref);

/** The marked parts that belong to no element, or to several. */
function looseParts(objects: Objects, elements: readonly Element[], contents: Contents): string[] {
  const owners = new Map<string, number>();
  for (const { dict } of elements)
    for (const kid of objects.list(dict["/K"])) {
      const part = objects.dict(kid);
      const id = typeof kid === "number" ? kid : part["/MCID"];
      const key = `${part["/Stm"] ?? part["/Pg"] ?? dict["/Pg"]} part ${id}`;
      if (typeof id === "number") owners.set(key, (owners.get(key) ?? 0) + 1);
    }
  return [...contents.parts].flatMap(([holder, parts]) =>
    [...parts].map((part) => `${holder} part ${part}`).filter((key) => owners.get(key) !== 1),
  );
}

/** What of a file fails PDF/UA-1, by the number of the condition. */
export function failuresOf(objects: Objects): Record<string, string[]> {
  const file = openFile(objects);
  return Object.fromEntries(
    Object.entries(CONDITIONS)
      .map(([id, condition]): [string, string[]] => [id, condition(file)])
      .filter(([, found]) => found.length > 0),
  );
}
