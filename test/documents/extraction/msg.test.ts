import CFB from "cfb";
import { describe, expect, test } from "vitest";
import { unpackRtf } from "../../../src/documents/extraction/formats/msg-rtf";
import { latin1 } from "../../../src/platform/latin1";
import { readDocument, readFixture } from "./read";

const wide = (text: string): Uint8Array =>
  new Uint8Array(Uint16Array.from(text, (char) => char.charCodeAt(0)).buffer.slice(0));
const ascii = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** The list of properties of fixed size, after a head of this many bytes. */
function fixed(head: number, ...properties: readonly (readonly [tag: number, value: bigint])[]): Uint8Array {
  const look = new DataView(new ArrayBuffer(head + 16 * properties.length));
  properties.forEach(([tag, value], n) => {
    look.setUint32(head + 16 * n, tag, true);
    look.setBigUint64(head + 16 * n + 8, value, true);
  });
  return new Uint8Array(look.buffer);
}

/** A compound file of these streams, by another author's program. */
function msg(streams: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const file = CFB.utils.cfb_new();
  for (const [name, data] of Object.entries({ "__properties_version1.0": fixed(32), ...streams }))
    CFB.utils.cfb_add(file, `/${name}`, data);
  return Uint8Array.from(CFB.write(file, { type: "array" }) as unknown as ArrayLike<number>);
}
const property = (id: string): string => `__substg1.0_${id}`;

describe("a message of Outlook", () => {
  test("in its own code page has its subject and its body", async () => {
    const { end, text } = await readFixture("outlook-ansi.msg");
    expect(end.status).toBe("indexed");
    expect(text).toBe(
      "日本語 Non Unicode タイトル\nTo: xmailuser2@xmailserver.test\nDate: 2021-11-05 10:25\n日本語 Non Unicode 本文",
    );
  });

  test("has the messages within it, with their people and attachments", async () => {
    const { text } = await readFixture("outlook-nested.msg");
    expect(text).toContain("I have attachments!\nDate: 2020-09-10 10:18\n");
    expect(text).toContain(
      "From: Microsoft Outlook <xmailuser@xmailserver.test>\nTo: xmailuser <xmailuser@xmailserver.test>\nDate: 2020-05-12 05:45",
    );
    expect(text).toContain("green.png");
  });

  test("has its subject, people, date, body and the text of its attachments", async () => {
    const [to, copied, hidden] = [0n, 1n, 2n].map((n) => `__recip_version1.0_#0000000${n}`);
    const attachment = "__attach_version1.0_#00000000";
    const { text } = await readDocument(
      msg({
        "__properties_version1.0": fixed(32, [
          0x00390040,
          BigInt(Date.UTC(2026, 2, 14, 10) + 11_644_473_600_000) * 10_000n,
        ]),
        [property("0037001F")]: wide("Übergabe of the keys"),
        [property("0042001F")]: wide("Astrid Keeper"),
        [property("5D02001F")]: wide("astrid@harbour.test"),
        [property("1000001F")]: wide("The spare keys\r\n\r\nhang behind the chart."),
        [`${to}/__properties_version1.0`]: fixed(8, [0x0c150003, 1n]),
        [`${to}/${property("3001001F")}`]: wide("Bo"),
        [`${to}/${property("3003001F")}`]: wide("/o=Harbour/cn=bo"),
        [`${copied}/__properties_version1.0`]: fixed(8, [0x0c150003, 2n]),
        [`${copied}/${property("39FE001F")}`]: wide("cy@harbour.test"),
        [`${hidden}/__properties_version1.0`]: fixed(8, [0x0c150003, 3n]),
        [`${hidden}/${property("3001001F")}`]: wide("Secret"),
        [`${attachment}/__properties_version1.0`]: fixed(8),
        [`${attachment}/${property("3707001F")}`]: wide("inventory.txt"),
        [`${attachment}/${property("37010102")}`]: ascii("Seven lanterns.\n\nTwo oars."),
      }),
      "a.bin",
    );
    expect(text).toBe(
      [
        "Übergabe of the keys",
        "From: Astrid Keeper <astrid@harbour.test>",
        "To: Bo",
        "Cc: <cy@harbour.test>",
        "Date: 2026-03-14 10:00",
        "The spare keys",
        "hang behind the chart.",
        "inventory.txt",
        "Seven lanterns.",
        "Two oars.",
      ].join("\n"),
    );
  });

  test("without a text has the visible text of its HTML, in its charset", async () => {
    const html = ascii(
      '<meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0?</p><style>p{}</style>',
    );
    expect((await readDocument(msg({ [property("10130102")]: html }))).text).toBe("Привет, как дела?");
    const cpid = fixed(32, [0x3fde0003, 1251n]);
    const bare = ascii("<p>\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0?</p>");
    const read = await readDocument(msg({ "__properties_version1.0": cpid, [property("10130102")]: bare }));
    expect(read.text).toBe("Привет, как дела?");
  });

  test("with RTF that stands for HTML has the text once, without the HTML", async () => {
    const rtf =
      '{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag64 <p title="x">}\\htmlrtf {\\htmlrtf0 Grey {\\*\\htmltag84 <b>}\\htmlrtf {\\b\\htmlrtf0 heron\\htmlrtf }\\htmlrtf0 {\\*\\htmltag92 </b>}\\htmlrtf \\par}\\htmlrtf0}';
    const head = new DataView(new ArrayBuffer(16));
    head.setUint32(4, rtf.length, true);
    head.setUint32(8, 0x414c454d, true);
    const packed = Uint8Array.from([...new Uint8Array(head.buffer), ...ascii(rtf)]);
    const { text } = await readDocument(msg({ [property("10090102")]: packed }));
    expect(text.replace(/ +/g, " ")).toBe("Grey heron");
  });

  test("with messages in messages ends at eight of them", async () => {
    const streams: Record<string, Uint8Array> = {};
    let folder = "";
    for (let depth = 0; depth < 10; depth++) {
      streams[`${folder}__properties_version1.0`] = fixed(depth === 0 ? 32 : 24);
      streams[`${folder}${property("0037001F")}`] = wide(`subject${depth}`);
      folder += `__attach_version1.0_#00000000/__substg1.0_3701000D/`;
    }
    const { end, text } = await readDocument(msg(streams));
    expect(end).toMatchObject({
      status: "too-large",
      detail: expect.stringContaining("not the text of all attachments"),
    });
    expect(text.match(/subject\d/g)).toHaveLength(9);
  });
});

/** The examples of MS-OXRTFCP 3.1. */
test.each([
  [
    "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af32068656c090020627705b06c647d0a800fa0",
    "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n",
  ],
  ["1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0", "{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"],
])("packed RTF %s is unpacked", async (hex, rtf) => {
  expect(latin1(await unpackRtf(Uint8Array.fromHex(hex.replaceAll(" ", "")), 1_000))).toBe(rtf);
});

test("packed RTF that declares four gigabytes needs no memory for them", async () => {
  const packed = Uint8Array.fromHex("1a000000ffffffff4c5a4675e2d44b51410004205758595a0d6e7d010eb0");
  expect((await unpackRtf(packed, 2 ** 32)).length).toBeLessThan(200);
});
