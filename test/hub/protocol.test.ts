import { describe, expect, test } from "vitest";
import { MAX_MESSAGE_BYTES } from "../../src/hub/limits";
import {
  frameBytes,
  type HubMessage,
  JSON_PING,
  MessageTooLarge,
  ProtocolError,
  parseMessages,
  RecordReader,
  readHandshake,
  writeBatch,
  writeMessage,
} from "../../src/hub/protocol";
import fc from "../support/properties";

const RECORD_SEPARATOR = "\x1e";
const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text));

const JOIN = { type: "invocation", invocationId: "1", target: "JoinLocation" } as const;
const argument = fc.jsonValue({ maxDepth: 2 });
const invocation = fc.record<HubMessage & { type: "invocation" }>({
  type: fc.constant("invocation" as const),
  invocationId: fc.option(fc.string(), { nil: null }),
  target: fc.string(),
  arguments: fc.array(argument, { maxLength: 3 }),
});

/** JSON has no negative zero, and the protocol does not need one. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(["json", "messagepack"] as const)("%s", (protocol) => {
  test("several invocations in a frame are parsed as they were written", () => {
    fc.assert(
      fc.property(fc.array(invocation, { minLength: 1, maxLength: 5 }), (messages) => {
        const frame = writeBatch(messages)[protocol];
        expect(plain(parseMessages(protocol, frame))).toEqual(plain(messages));
      }),
    );
  });

  test("an incomplete frame is refused as a whole", () => {
    fc.assert(
      fc.property(invocation, fc.double({ min: 0, max: 0.999, noNaN: true }), (message, at) => {
        const frame = writeBatch([message])[protocol];
        const cut = Math.floor(at * frame.length);
        fc.pre(cut > 0);
        expect(() => parseMessages(protocol, frame.slice(0, cut))).toThrow(ProtocolError);
      }),
    );
  });

  test("any bytes are either messages or a protocol error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (data) => {
        try {
          parseMessages(protocol, data);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ProtocolError);
        }
      }),
    );
  });
});

describe.each(["json", "messagepack"] as const)("records of %s", (protocol) => {
  /** The result of a reader for these frames. */
  const read = (frames: Iterable<Uint8Array>): Uint8Array[] => {
    const [reader, records] = [new RecordReader(), [] as Uint8Array[]];
    for (const frame of frames) {
      reader.push(frame.slice().buffer as ArrayBuffer);
      for (let record = reader.next(protocol); record !== null; record = reader.next(protocol)) records.push(record);
    }
    return records;
  };
  const cutAt = (whole: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
    const ends = [...cuts.map((at) => Math.floor(at * whole.length)), whole.length].sort((a, b) => a - b);
    return ends.map((end, i) => whole.subarray(ends[i - 1] ?? 0, end));
  };

  test("are the same for every split into frames", () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(invocation, { minLength: 1, maxLength: 5 }), cuts, (messages, at) => {
        const whole = writeBatch(messages)[protocol];
        const records = read(cutAt(typeof whole === "string" ? bytes(whole) : whole, at));
        expect(plain(records.flatMap((record) => parseMessages(protocol, record)))).toEqual(plain(messages));
      }),
    );
  });

  test("can each have the maximum size of a message, and not more", () => {
    const ofSize = (size: number): Uint8Array => {
      const message = (text: string) => frameBytes(writeMessage(protocol, { ...JOIN, arguments: [text] }));
      const framing = message("a".repeat(20_000)).length - 20_000;
      return message("a".repeat(size - framing));
    };
    const largest = ofSize(MAX_MESSAGE_BYTES);
    expect(largest.length).toBe(MAX_MESSAGE_BYTES);
    expect(read([new Uint8Array([...largest, ...largest])])).toHaveLength(2);
    expect(() => read(cutAt(ofSize(MAX_MESSAGE_BYTES + 1), [0.3, 0.6]))).toThrow(MessageTooLarge);
    expect(() => read([ofSize(2 * MAX_MESSAGE_BYTES).subarray(0, MAX_MESSAGE_BYTES + 1)])).toThrow(MessageTooLarge);
  });
});

test("a MessagePack ping is the three bytes clients send", () => {
  expect([...(writeMessage("messagepack", { type: "ping" }) as Uint8Array)]).toEqual([0x02, 0x91, 0x06]);
  expect(writeMessage("json", { type: "ping" })).toBe(JSON_PING);
});

describe("the handshake", () => {
  const handshake = (value: object) => readHandshake(bytes(JSON.stringify(value) + RECORD_SEPARATOR), true);

  test("accepts both protocols in both versions", () => {
    const accepted = { accepted: true, answer: `{}${RECORD_SEPARATOR}` };
    expect(handshake({ protocol: "json", version: 1 })).toEqual({ ...accepted, protocol: "json" });
    expect(handshake({ protocol: "messagepack", version: 2 })).toEqual({ ...accepted, protocol: "messagepack" });
  });

  test("names an unsupported protocol", () => {
    expect(handshake({ protocol: "xml", version: 1 })).toMatchObject({
      accepted: false,
      answer: expect.stringContaining("'xml' is not supported"),
    });
    expect(handshake({ protocol: "json", version: 9 })).toMatchObject({
      accepted: false,
      answer: expect.stringContaining("version 9"),
    });
    expect(readHandshake(bytes(`nonsense${RECORD_SEPARATOR}`), true)).toMatchObject({ accepted: false });
  });
});
