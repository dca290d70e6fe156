import { describe, expect, test } from "vitest";
import {
  type HubMessage,
  JSON_PING,
  ProtocolError,
  parseMessages,
  readHandshake,
  writeBatch,
  writeMessage,
} from "../../src/hub/protocol";
import fc from "../support/properties";

const RECORD_SEPARATOR = "\x1e";
const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text));

const argument = fc.jsonValue({ maxDepth: 2 });
const invocation = fc.record<HubMessage & { type: "invocation" }>({
  type: fc.constant("invocation" as const),
  invocationId: fc.option(fc.string(), { nil: null }),
  target: fc.string(),
  arguments: fc.array(argument, { maxLength: 3 }),
});

/** JSON has no negative zero; neither side minds. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(["json", "messagepack"] as const)("%s", (protocol) => {
  test("invocations come back as they were written, several in a frame", () => {
    fc.assert(
      fc.property(fc.array(invocation, { minLength: 1, maxLength: 5 }), (messages) => {
        const frame = writeBatch(messages)[protocol];
        expect(plain(parseMessages(protocol, frame))).toEqual(plain(messages));
      }),
    );
  });

  test("a frame that is cut is refused, never half read", () => {
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

test("a MessagePack ping is the three bytes clients send", () => {
  expect([...(writeMessage("messagepack", { type: "ping" }) as Uint8Array)]).toEqual([0x02, 0x91, 0x06]);
  expect(writeMessage("json", { type: "ping" })).toBe(JSON_PING);
});

describe("the handshake", () => {
  const handshake = (value: object) => readHandshake(bytes(JSON.stringify(value) + RECORD_SEPARATOR));

  test("takes both protocols in both versions, and keeps what came with it", () => {
    const read = readHandshake(bytes(`{"protocol":"json","version":1}${RECORD_SEPARATOR}${JSON_PING}`));
    expect(read).toMatchObject({ accepted: true, protocol: "json", answer: `{}${RECORD_SEPARATOR}` });
    expect(read.accepted && parseMessages("json", read.rest)).toEqual([{ type: "ping" }]);
    expect(handshake({ protocol: "messagepack", version: 2 })).toMatchObject({ accepted: true });
  });

  test("says what it does not speak", () => {
    expect(handshake({ protocol: "xml", version: 1 })).toMatchObject({
      accepted: false,
      answer: expect.stringContaining("'xml' is not supported"),
    });
    expect(handshake({ protocol: "json", version: 9 })).toMatchObject({
      accepted: false,
      answer: expect.stringContaining("version 9"),
    });
    expect(readHandshake(bytes("nonsense"))).toMatchObject({ accepted: false });
  });
});
