import { JpegError } from "./error";

/** Marker codes, the byte after FF (T.81 table B.1). */
export const MARKER = {
  TEM: 0x01,
  SOF0: 0xc0,
  SOF1: 0xc1,
  SOF2: 0xc2,
  DHT: 0xc4,
  RST0: 0xd0,
  RST7: 0xd7,
  SOI: 0xd8,
  EOI: 0xd9,
  SOS: 0xda,
  DQT: 0xdb,
  DRI: 0xdd,
  APP0: 0xe0,
  APP1: 0xe1,
  APP14: 0xee,
  APP15: 0xef,
  COM: 0xfe,
} as const;

/** `FFDA` for 0xda, as people know markers. */
export const markerName = (marker: number): string => `FF${marker.toString(16).toUpperCase().padStart(2, "0")}`;

/** The parameters of a marker segment, without marker and length: bytes `start` to `end` of the file. */
export interface Segment {
  start: number;
  end: number;
}

/** Walks the markers of a file; every reading is checked against its end. */
export class MarkerReader {
  /** Offset of the next byte to be read. */
  position = 0;

  constructor(readonly bytes: Uint8Array) {}

  byte(at: number): number {
    const value = this.bytes[at];
    if (value === undefined) throw new JpegError("premature-end", `the file ends at byte ${this.bytes.length}`);
    return value;
  }

  /** Big-endian, as every parameter of T.81 (B.1.1.1). */
  uint16(at: number): number {
    return (this.byte(at) << 8) | this.byte(at + 1);
  }

  /** The next marker, past fill bytes (B.1.1.2), and how many bytes that belong to nothing stood before it. */
  nextMarker(): { marker: number; skipped: number } {
    const { bytes } = this;
    let at = this.position;
    let skipped = 0;
    for (;;) {
      while (at < bytes.length && bytes[at] !== 0xff) {
        at++;
        skipped++;
      }
      while (at < bytes.length && bytes[at] === 0xff) at++;
      const marker = bytes[at];
      if (marker === undefined) throw new JpegError("missing-end", `no EOI in ${bytes.length} bytes`);
      at++;
      if (marker !== 0) {
        this.position = at;
        return { marker, skipped };
      }
      skipped += 2;
    }
  }

  /** The parameters of the marker just read; the position moves past them. */
  segment(): Segment {
    const start = this.position;
    const length = this.uint16(start);
    if (length < 2) throw new JpegError("bad-length", `segment of length ${length} at byte ${start}`);
    const end = start + length;
    if (end > this.bytes.length) throw new JpegError("premature-end", `segment at byte ${start} passes the end`);
    this.position = end;
    return { start: start + 2, end };
  }
}
