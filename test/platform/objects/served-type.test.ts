import { expect, test } from "vitest";
import { servedType } from "../../../src/platform/objects/store";

const BYTES = "application/octet-stream";

test.each([
  ...["text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript", "text/jscript"],
  ...["text/javascript1.5", "text/livescript", "application/x-ecmascript", "text/vbscript", "application/typescript"],
  ...["text/css", "text/xsl", "text/html", "application/xhtml+xml", "text/html; charset=utf-8", "Text/HTML"],
  ...[
    "image/svg+xml",
    "application/xml",
    "text/xml",
    "application/atom+xml",
    "application/mathml+xml",
    "model/x3d+xml",
  ],
  ...["application/xml-dtd", "application/wasm", "application/webbundle", "multipart/x-mixed-replace; boundary=x"],
  ...["multipart/related", "application/x-shockwave-flash", "text/cache-manifest"],
  ...["image/svg+xml;charset=utf-8", " text/html", "text/plain, text/html", "text/plain;x=1,text/javascript"],
  ...["", "html", "text/", "*/*", "text/plain\r\nx: y", "text/html\0"],
])("%j is bytes to be saved", (type) => expect(servedType(type)).toBe(BYTES));

test.each([
  ...[
    "application/pdf",
    "text/plain",
    "text/plain; charset=utf-8",
    "text/csv",
    "text/markdown",
    "image/jpeg",
    "image/png",
  ],
  ...["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/msword", "video/mp4"],
  ...["application/json", "application/zip", "application/rtf", "message/rfc822", "audio/mpeg", "text/calendar", BYTES],
])("%j stays", (type) => expect(servedType(type)).toBe(type));
