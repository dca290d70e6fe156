import { expect, test } from "vitest";
import { CONDITIONS } from "../../gateway/src/camera/health";
import { faultInWords } from "../../src/cameras/faults";
import { formatOf } from "../../web/texts/en/documents";
import { clockOf, dayOf, timeOf, zonedTimeOf } from "../../web/ui/format";

/* The words of the console for times, formats of files and faults of devices. */

const AT = Date.UTC(2026, 8, 5, 13, 4);

test("a time says its clock, and every month has three letters", () => {
  const zone = /(UTC|GMT|[A-Z]{3,4})([+-][\d:]+)?$/;
  expect(timeOf(new Date(AT).toISOString())).toMatch(zone);
  expect(clockOf(AT)).toMatch(zone);
  expect(dayOf(AT)).toBe("5 Sep 2026");
});

test("a time of another zone has its day, unless that is today there", () => {
  const hour = 3_600_000;
  expect(zonedTimeOf(AT, "Europe/Oslo", AT + hour)).toBe("15:04 CEST");
  expect(zonedTimeOf(AT, "Europe/Oslo", AT + 24 * hour)).toBe("5 Sep, 15:04 CEST");
  expect(zonedTimeOf(AT, "Asia/Kolkata", AT + hour)).toBe("18:34 GMT+5:30");
  expect(zonedTimeOf(AT, "Pacific/Kiritimati", AT - 4 * hour)).toBe("6 Sep, 03:04 GMT+14");
});

test("the format of a file is in words, never a content type", () => {
  const office = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const named = (contentType: string, fileName = "file") => formatOf({ contentType, fileName });
  expect(named("application/pdf")).toBe("PDF");
  expect(named(office)).toBe("Word document");
  expect(named("text/html; charset=utf-8")).toBe("Web page");
  expect(named("IMAGE/SVG+XML")).toBe("Picture (SVG)");
  expect(named("application/octet-stream", "Survey 2.dwg")).toBe("DWG file");
  expect(named("application/octet-stream")).toBe("File");
});

test("each fault of the gateway is a sentence, and the fault of another device has words", () => {
  for (const code of [...CONDITIONS, "camera-open-failed"]) expect(faultInWords(code)).toMatch(/^(The|Two) [^:]+\.$/);
  expect(faultInWords("usb_read_timeout")).toBe("The device says: usb read timeout");
  expect(faultInWords("E42.sensor:hot")).toBe("The device says: E42 sensor hot");
});
