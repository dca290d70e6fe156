import { MAX_OFFICE_PARTS } from "../../limits";
import { tooLarge } from "../extracted";
import { attribute, readXml } from "../xml";
import type { Archive } from "../zip/archive";

/** A relationship from one part to another (OPC, ECMA-376 part 2). */
export interface Relationship {
  id: string;
  /** The last segment of the type's URI, which is the same in Transitional and Strict. */
  type: string;
  /** The name of the target entry. */
  target: string;
}

/** Reads the relationships of a part, or of the package for "". It skips external targets. */
export async function readRelationships(archive: Archive, part: string): Promise<Relationship[]> {
  const slash = part.lastIndexOf("/") + 1;
  const folder = part.slice(0, slash);
  const found: Relationship[] = [];
  await readXml(archive.read(`${folder}_rels/${part.slice(slash)}.rels`), {
    open(name, attributes) {
      if (name !== "Relationship" || attribute(attributes, "TargetMode") === "External") return;
      if (found.length >= MAX_OFFICE_PARTS) throw tooLarge(`The file holds more than ${MAX_OFFICE_PARTS} parts.`);
      const type = attribute(attributes, "Type") ?? "";
      found.push({
        id: attribute(attributes, "Id") ?? "",
        type: type.slice(type.lastIndexOf("/") + 1),
        target: resolvePart(folder, attribute(attributes, "Target") ?? ""),
      });
    },
  });
  return found;
}

/** The name of the entry that a relative or absolute path means, from a folder that ends in a slash or is empty. */
export function resolvePart(folder: string, target: string): string {
  if (target.startsWith("/")) return target.slice(1);
  const parts = folder.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
