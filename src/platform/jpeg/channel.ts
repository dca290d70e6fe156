import type { Component, Frame } from "./frame";
import type { Scale } from "./inverse-dct";
import { JpegError } from "./limits";

/** Samples of one component at the decoder's scale. Rows are `stride` bytes apart and have `width` samples. */
export interface Plane {
  samples: Uint8Array;
  stride: number;
  width: number;
  height: number;
}

/** The coefficients that a progressive component keeps between scans: 8 + 2N² bytes for each block. */
interface Coefficients {
  /** The N × N lowest coefficients of every block. */
  values: Int16Array;
  /** One bit for each coefficient in zig-zag order: 1 if the coefficient is not zero. */
  nonZeroLow: Int32Array;
  nonZeroHigh: Int32Array;
}

/** A component during decoding. */
export interface Channel {
  readonly component: Component;
  readonly plane: Plane;
  readonly coefficients: Coefficients | null;
  /** The quantization steps of the kept coefficients, from the table at the component's first scan. */
  quantization: Int32Array | null;
  /** For each coefficient in zig-zag order, the lowest decoded bit (Al); -1 before the first scan. */
  readonly lowestBit: Int8Array;
}

/** Allocates the plane and the coefficients of a component. `scale` is the decoder's N. */
export function openChannel(frame: Frame, component: Component, scale: Scale): Channel {
  const { blocksAcross, blocksDown } = component;
  const blocks = blocksAcross * blocksDown;
  const area = scale * scale;
  const plane: Plane = {
    samples: new Uint8Array(blocks * area),
    stride: blocksAcross * scale,
    width: Math.ceil((frame.width * component.h * scale) / (frame.hMax * 8)),
    height: Math.ceil((frame.height * component.v * scale) / (frame.vMax * 8)),
  };
  const coefficients = frame.progressive
    ? {
        values: new Int16Array(blocks * area),
        nonZeroLow: new Int32Array(blocks),
        nonZeroHigh: new Int32Array(blocks),
      }
    : null;
  return { component, plane, coefficients, quantization: null, lowestBit: new Int8Array(64).fill(-1) };
}

/** The coefficients of a channel that a progressive scan decodes. */
export function coefficientsOf({ coefficients }: Channel): Coefficients {
  if (coefficients === null) throw new Error("a sequential frame has no coefficients");
  return coefficients;
}

/** The quantization steps of a channel after its first scan. @throws JpegError missing-table. */
export function quantizationOf({ quantization, component }: Channel): Int32Array {
  if (quantization === null) throw new JpegError("missing-table", `quantization table ${component.quantizationTable}`);
  return quantization;
}
