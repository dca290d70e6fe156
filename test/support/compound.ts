import { type ByteSource, bytesSource } from "../../src/documents/extraction/extracted";

/** A storage or a stream. A stream of less than 4 KiB is padded to that, so that no mini stream is needed. */
export interface Node {
  name: string;
  data?: Uint8Array;
  children?: readonly Node[];
}

export const SECTOR = 4_096;
const [FREE, END] = [0xffffffff, 0xfffffffe];

/** Where the parts of a compound file are, for tests that change them. */
export interface Built {
  bytes: Uint8Array;
  /** Offset of the entry of a sector in the FAT, and of an entry in the directory. */
  fatEntry: (sector: number) => number;
  directoryEntry: (index: number) => number;
}

/** A compound file with sectors of 4 KiB. The entries of a storage form a list, which is a tree too. */
export function compoundOf(nodes: readonly Node[]): Built {
  const entries: { node: Node; type: number; right: number; child: number; start: number; size: number }[] = [
    { node: { name: "Root Entry" }, type: 5, right: FREE, child: FREE, start: END, size: 0 },
  ];
  const add = (list: readonly Node[]): number => {
    const indexes = list.map((node) => {
      entries.push({ node, type: node.data === undefined ? 1 : 2, right: FREE, child: FREE, start: END, size: 0 });
      return entries.length - 1;
    });
    list.forEach((node, n) => {
      const entry = entries[indexes[n] ?? 0];
      if (entry === undefined) return;
      entry.right = indexes[n + 1] ?? FREE;
      if (node.children !== undefined) entry.child = add(node.children);
    });
    return indexes[0] ?? FREE;
  };
  const root = entries[0];
  if (root !== undefined) root.child = add(nodes);
  const directorySectors = Math.ceil((entries.length * 128) / SECTOR);
  const streamSectors = entries.map(({ node }) =>
    Math.max(node.data === undefined ? 0 : 1, Math.ceil((node.data?.length ?? 0) / SECTOR)),
  );
  const data = directorySectors + streamSectors.reduce((sum, each) => sum + each, 0);
  const fatSectors = Math.ceil(data / (SECTOR / 4 - 1));
  const bytes = new Uint8Array((1 + fatSectors + data) * SECTOR);
  const look = new DataView(bytes.buffer);
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  for (const [at, value] of [
    [24, 0x3e],
    [26, 4],
    [28, 0xfffe],
    [30, 12],
    [32, 6],
  ] as const)
    look.setUint16(at, value, true);
  for (const [at, value] of [
    [44, fatSectors],
    [48, fatSectors],
    [56, 4_096],
    [60, END],
    [68, END],
  ] as const)
    look.setUint32(at, value, true);
  for (let n = 0; n < 109; n++) look.setUint32(76 + 4 * n, n < fatSectors ? n : FREE, true);
  const fatEntry = (sector: number) => SECTOR + 4 * sector;
  for (let n = 0; n < (fatSectors * SECTOR) / 4; n++)
    look.setUint32(fatEntry(n), n < fatSectors ? 0xfffffffd : FREE, true);
  const chain = (start: number, count: number) => {
    for (let n = 0; n < count; n++) look.setUint32(fatEntry(start + n), n + 1 < count ? start + n + 1 : END, true);
  };
  chain(fatSectors, directorySectors);
  const directoryEntry = (index: number) => (1 + fatSectors) * SECTOR + 128 * index;
  let next = fatSectors + directorySectors;
  entries.forEach(({ node, type, right, child }, index) => {
    const at = directoryEntry(index);
    const count = streamSectors[index] ?? 0;
    [...node.name].forEach((char, n) => {
      look.setUint16(at + 2 * n, char.charCodeAt(0), true);
    });
    look.setUint16(at + 64, 2 * node.name.length + 2, true);
    bytes[at + 66] = type;
    look.setUint32(at + 68, FREE, true);
    look.setUint32(at + 72, right, true);
    look.setUint32(at + 76, child, true);
    look.setUint32(at + 116, count > 0 ? next : END, true);
    look.setUint32(at + 120, count > 0 ? Math.max(4_096, node.data?.length ?? 0) : 0, true);
    if (node.data !== undefined) bytes.set(node.data, (1 + next) * SECTOR);
    chain(next, count);
    next += count;
  });
  return { bytes, fatEntry, directoryEntry };
}

/**
 * A compound file of 8 MiB with one stream, "a", of this many sectors. Each of its sectors is in another MiB of the file
 * than the five before it.
 */
export function scatteredSource(sectors: number): ByteSource {
  const { bytes, fatEntry, directoryEntry } = compoundOf([{ name: "a", data: new Uint8Array(7 * 1024 * 1024) }]);
  const look = new DataView(bytes.buffer);
  const perMiB = (1024 * 1024) / SECTOR;
  const place = (n: number) => (1 + (n % 6)) * perMiB + Math.floor(n / 6);
  for (let n = 0; n < sectors; n++) look.setUint32(fatEntry(place(n)), n + 1 < sectors ? place(n + 1) : END, true);
  look.setUint32(directoryEntry(1) + 116, place(0), true);
  look.setUint32(directoryEntry(1) + 120, sectors * SECTOR, true);
  return bytesSource(bytes);
}

/** A message with this many recipients and attachments, all without properties. */
export const messageOf = (recipients: number, attachments: number): Uint8Array =>
  compoundOf([
    { name: "__properties_version1.0", data: new Uint8Array(32) },
    ...Array.from({ length: recipients }, (_, n) => ({
      name: `__recip_version1.0_#${n.toString(16).padStart(8, "0")}`,
    })),
    ...Array.from({ length: attachments }, (_, n) => ({
      name: `__attach_version1.0_#${n.toString(16).padStart(8, "0")}`,
    })),
  ]).bytes;
