import { readFileSync } from "node:fs";
import { readContents } from "./pdf-content.ts";
import { type Dict, type Json, type Objects, textIn } from "./pdf-objects.ts";

/* Requirements of PDF/A-3b (ISO 19005-3) that a printed report can break, by their clause. */

interface File {
  objects: Objects;
  bytes: string;
  xmp: string;
  /** All dictionaries at any depth. */
  dicts: Dict[];
}

function* dictsIn(value: Json): Generator<Dict> {
  if (Array.isArray(value)) for (const held of value) yield* dictsIn(held);
  else if (value !== null && typeof value === "object") {
    yield value;
    for (const held of Object.values(value)) yield* dictsIn(held);
  }
}

const some = (found: boolean, what: string): string[] => (found ? [what] : []);
const has = ({ dicts }: File, ...keys: string[]) => keys.filter((key) => dicts.some((dict) => dict[key] !== undefined));
const values = ({ dicts }: File): Json[] => dicts.flatMap((dict) => Object.values(dict));
const dateIn = (xmp: string, name: string) =>
  new RegExp(`<xmp:${name}>([^<]+)<`).exec(xmp)?.[1]?.replace(/\D/g, "").slice(0, 14);

const REQUIREMENTS: Readonly<Record<string, (file: File) => string[]>> = {
  "6.1.2 header": ({ bytes }) => some(!/^%PDF-1\.[0-7]\n%[\x80-\xff]{4}/.test(bytes), bytes.slice(0, 20)),
  "6.1.3 trailer": ({ objects, bytes }) => [
    ...some(objects.list(objects.trailer["/ID"]).length !== 2, "no ID"),
    ...some(objects.trailer["/Encrypt"] !== undefined, "encrypted"),
    ...some(!/%%EOF\r?\n?$/.test(bytes), "data after the end"),
  ],
  "6.1.7 streams": (file) => has(file, "/FFilter", "/FDecodeParms"),
  "6.1.8 and 6.1.13 sizes": (file) => [
    ...file.dicts.flatMap(Object.keys).filter((name) => Buffer.byteLength(name) - 1 > 127),
    ...values(file)
      .filter((held) => typeof held === "string" && held.startsWith("/") && Buffer.byteLength(held) > 128)
      .map(String),
    ...some(readContents(file.objects).deepest > 28, "more than 28 states"),
  ],
  "6.1.7.2 filters": (file) =>
    file.dicts
      .flatMap((dict) => file.objects.list(dict["/Filter"]))
      .filter((filter) => !/^\/(Flate|DCT)Decode$/.test(String(filter)))
      .map(String),
  "6.2.3 output intent": ({ objects }) => {
    const [intent, ...more] = objects.list(objects.catalogue["/OutputIntents"]).map((one) => objects.dict(one));
    const profile = objects.bytes(intent?.["/DestOutputProfile"]);
    return [
      ...some(intent?.["/S"] !== "/GTS_PDFA1" || more.length > 0, "no output intent"),
      ...some(profile.length < 128 || profile.readUInt32BE(0) !== profile.length, "no whole profile"),
      ...some(profile.toString("latin1", 12, 24) !== "mntrRGB XYZ ", "no profile of a screen with RGB"),
      ...some(objects.dict(intent?.["/DestOutputProfile"])["/N"] !== 3, "other components"),
    ];
  },
  "6.2.4 colours": (file) =>
    values(file)
      .filter((held) => JSON.stringify(held).includes("/DeviceCMYK"))
      .map(String),
  "6.2.5 graphics states": (file) => has(file, "/TR2", "/HTP", "/OPI"),
  "6.2.8 pictures": (file) => [
    ...has(file, "/Alternates"),
    ...file.dicts.filter((dict) => dict["/Interpolate"] === true).map(() => "/Interpolate"),
  ],
  "6.2.10 blend modes": (file) =>
    file.dicts
      .map((dict) => dict["/BM"])
      .filter(
        (mode) =>
          mode !== undefined &&
          !/^\/(Normal|Compatible|Multiply|Screen|Overlay|Darken|Lighten|ColorDodge|ColorBurn|HardLight|SoftLight|Difference|Exclusion|Hue|Saturation|Color|Luminosity)$/.test(
            String(mode),
          ),
      )
      .map(String),
  "6.3 annotations": ({ dicts }) =>
    dicts.filter((dict) => dict["/Type"] === "/Annot" && dict["/F"] !== 4).map((dict) => String(dict["/Subtype"])),
  "6.5 actions": (file) => [
    ...has(file, "/AA", "/OpenAction", "/JavaScript"),
    ...file.dicts
      .filter((dict) => dict["/Type"] === "/Action" && !/^\/(URI|GoTo)$/.test(String(dict["/S"])))
      .map((dict) => String(dict["/S"])),
  ],
  "6.8 embedded files": ({ objects, dicts }) => {
    const associated = objects.list(objects.catalogue["/AF"]).map((one) => objects.dict(one));
    return dicts
      .filter((dict) => dict["/EF"] !== undefined)
      .flatMap((dict) => {
        const file = objects.dict(objects.dict(dict["/EF"])["/F"]);
        return [
          ...some(textIn(dict["/F"]) === "" || textIn(dict["/UF"]) === "", "no name"),
          ...some(
            !/^\/(Source|Data|Alternative|Supplement|Unspecified)$/.test(String(dict["/AFRelationship"])),
            "no relation",
          ),
          ...some(!associated.some((one) => one === dict), "not associated"),
          ...some(!/^\/[a-z]+(#2[fF]|\/)[a-z]+$/.test(String(file["/Subtype"])), `type ${file["/Subtype"]}`),
          ...some(!/^D:\d{14}/.test(textIn(objects.dict(file["/Params"])["/ModDate"])), "no time"),
        ];
      });
  },
  "6.6.2 metadata": ({ objects, xmp }) => [
    ...some(objects.dict(objects.catalogue["/Metadata"])["/Filter"] !== undefined, "packed"),
    ...some(!xmp.startsWith('<?xpacket begin="\uFEFF"'), "no packet"),
    ...some(/<pdfuaid:part>/.test(xmp) && !/pdfaSchema:prefix>pdfuaid</.test(xmp), "no schema of pdfuaid"),
  ],
  "6.6.4 identifier": ({ xmp }) =>
    some(!/<pdfaid:part>3<\/pdfaid:part>\s*<pdfaid:conformance>B<\/pdfaid:conformance>/.test(xmp), "no identifier"),
  "6.6.3 dates": ({ objects, xmp }) => {
    const info = objects.dict(objects.trailer["/Info"]);
    const stored = (key: string) => textIn(info[key]).replace(/\D/g, "").slice(0, 14);
    return [
      ...some(stored("/CreationDate") !== dateIn(xmp, "CreateDate"), "another time of creation"),
      ...some(stored("/ModDate") !== dateIn(xmp, "ModifyDate"), "another time of change"),
    ];
  },
};

/** What of a file fails PDF/A-3b, by the clause. */
export function archiveFailuresOf(objects: Objects, path: string): Record<string, string[]> {
  const file: File = {
    objects,
    bytes: readFileSync(path).toString("latin1"),
    xmp: objects.bytes(objects.catalogue["/Metadata"]).toString("utf8"),
    dicts: objects.numbers.flatMap((ref) => [...dictsIn(objects.get(ref))]),
  };
  return Object.fromEntries(
    Object.entries(REQUIREMENTS)
      .map(([clause, requirement]): [string, string[]] => [clause, requirement(file)])
      .filter(([, found]) => found.length > 0),
  );
}
