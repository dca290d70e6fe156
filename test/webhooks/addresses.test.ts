import { describe, expect, test } from "vitest";
import { checkAddress, judgeName, openOutside } from "../../src/platform/outside";
import { behave, type ResolverRecords, receivedBy, setRecords } from "../support/webhook-calls";
import { RECEIVERS, RESOLVER_URL } from "../support/webhook-receiver";
import { newReceiver } from "../support/webhooks";

const ADDRESSES_REFUSED: readonly [address: string, fault: string][] = [
  ["", "malformed"],
  ["hooks.example.org/path", "malformed"],
  ["https://", "malformed"],
  ["https://hooks.dev.com/a b", "malformed"],
  ["https://hooks.dev.com/\n", "malformed"],
  ["\thttps://hooks.dev.com", "malformed"],
  ["https:\\\\hooks.dev.com", "malformed"],
  ["https://256.256.256.256/", "malformed"],
  ["https://[::1", "malformed"],
  [`https://hooks.dev.com/${"x".repeat(2_000)}`, "malformed"],
  ["http://hooks.dev.com/", "scheme"],
  ["ftp://hooks.dev.com/", "scheme"],
  ["file:///etc/passwd", "scheme"],
  ["gopher://hooks.dev.com/", "scheme"],
  ["javascript:alert(1)", "scheme"],
  ["data:text/plain,hi", "scheme"],
  ["https://user@hooks.dev.com/", "credentials"],
  ["https://user:secret@hooks.dev.com/", "credentials"],
  ["https://hooks.dev.com@127.0.0.1/", "credentials"],
  ["https://hooks.dev.com:80/", "port"],
  ["https://hooks.dev.com:22/", "port"],
  ["https://hooks.dev.com:6379/", "port"],
  ["https://hooks.dev.com:0/", "port"],
  ["https://127.0.0.1/", "not-public"],
  ["https://127.0.0.1./", "not-public"],
  ["https://127.1/", "not-public"],
  ["https://2130706433/", "not-public"],
  ["https://0x7f000001/", "not-public"],
  ["https://0x7f.0.0.1/", "not-public"],
  ["https://0177.0.0.1/", "not-public"],
  ["https://017700000001/", "not-public"],
  ["https://１２７.0.0.1/", "not-public"],
  ["https://①②⑦.⓪.⓪.①/", "not-public"],
  ["https://%31%32%37.0.0.1/", "not-public"],
  ["https://0.0.0.0/", "not-public"],
  ["https://10.1.2.3/", "not-public"],
  ["https://100.64.0.1/", "not-public"],
  ["https://100.100.100.200/latest/meta-data", "not-public"],
  ["https://168.63.129.16/", "not-public"],
  ["https://169.254.169.254/latest/meta-data", "not-public"],
  ["https://172.16.0.1/", "not-public"],
  ["https://172.31.255.255/", "not-public"],
  ["https://192.0.0.8/", "not-public"],
  ["https://192.0.2.1/", "not-public"],
  ["https://192.88.99.1/", "not-public"],
  ["https://192.168.1.1/", "not-public"],
  ["https://198.18.0.1/", "not-public"],
  ["https://198.51.100.7/", "not-public"],
  ["https://203.0.113.7/", "not-public"],
  ["https://224.0.0.1/", "not-public"],
  ["https://240.0.0.1/", "not-public"],
  ["https://255.255.255.255/", "not-public"],
  ["https://[::]/", "not-public"],
  ["https://[::1]/", "not-public"],
  ["https://[0:0:0:0:0:0:0:1]/", "not-public"],
  ["https://[::ffff:127.0.0.1]/", "not-public"],
  ["https://[::ffff:7f00:1]/", "not-public"],
  ["https://[::ffff:93.184.215.14]/", "not-public"],
  ["https://[::127.0.0.1]/", "not-public"],
  ["https://[64:ff9b::7f00:1]/", "not-public"],
  ["https://[64:ff9b:1::a00:1]/", "not-public"],
  ["https://[100::1]/", "not-public"],
  ["https://[2001:0:7f00:1::]/", "not-public"],
  ["https://[2001:20::1]/", "not-public"],
  ["https://[2001:db8::1]/", "not-public"],
  ["https://[2002:7f00:1::]/", "not-public"],
  ["https://[2002:a9fe:a9fe::1]/", "not-public"],
  ["https://[3fff::1]/", "not-public"],
  ["https://[fc00::1]/", "not-public"],
  ["https://[fd00:ec2::254]/", "not-public"],
  ["https://[fe80::1]/", "not-public"],
  ["https://[fec0::1]/", "not-public"],
  ["https://[ff02::1]/", "not-public"],
  ["https://localhost/", "local-name"],
  ["https://LOCALHOST./", "local-name"],
  ["https://a.localhost/", "local-name"],
  ["https://intranet/", "local-name"],
  ["https://printer.local/", "local-name"],
  ["https://metadata.google.internal/", "local-name"],
  ["https://db.corp/", "local-name"],
  ["https://router.home.arpa/", "local-name"],
  ["https://hooks.dev.com./", "local-name"],
  ["https://hidden.onion/", "local-name"],
  ["https://ｌｏｃａｌｈｏｓｔ/", "local-name"],
  ["https://-bad.dev.com/", "local-name"],
];

const ADDRESSES_CALLED = [
  "https://hooks.dev.com/a?b=c",
  "https://hooks.dev.com:8443/",
  "https://bücher.de/",
  "https://93.184.215.14/",
  "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
];

describe("the text of an address", () => {
  test.for(ADDRESSES_REFUSED)("%s is refused: %s", ([address, fault]) => {
    expect(checkAddress(address)).toBe(fault);
  });

  test.for(ADDRESSES_CALLED)("%s is called", (address) => {
    expect(checkAddress(address)).toMatchObject({ url: expect.any(URL) });
  });

  test("the list has at least 60 addresses", () => {
    expect(ADDRESSES_REFUSED.length).toBeGreaterThanOrEqual(60);
  });
});

const NAMES: readonly [what: string, known: ResolverRecords, verdict: string][] = [
  ["a public address", { A: ["93.184.215.14"], AAAA: [] }, "public"],
  ["public addresses of both kinds", { A: ["93.184.215.14"], AAAA: ["2606:4700::1111"] }, "public"],
  ["a private address", { A: ["10.0.0.1"] }, "not-public"],
  ["the address of metadata", { A: ["169.254.169.254"] }, "not-public"],
  ["a private address among public ones", { A: ["93.184.215.14", "192.168.0.1"] }, "not-public"],
  ["a public address and a local IPv6 address", { A: ["93.184.215.14"], AAAA: ["fe80::1"] }, "not-public"],
  ["a mapped address", { AAAA: ["::ffff:10.0.0.1"] }, "not-public"],
  ["an address through NAT64", { AAAA: ["64:ff9b::a00:1"] }, "not-public"],
  ["an address through 6to4", { AAAA: ["2002:a00:1::"] }, "not-public"],
  ["an alias of a local name", { alias: "db.internal", A: ["10.0.0.1"] }, "not-public"],
  ["an alias without addresses", { alias: "db.internal" }, "unknown"],
  ["a text that is no address", { A: ["93.184.215.14 "] }, "not-public"],
  ["an address in octal digits", { A: ["0177.0.0.1"] }, "not-public"],
  ["a number as an address", { A: ["2130706433"] }, "not-public"],
  ["an IPv6 address with a zone", { AAAA: ["fe80::1%eth0"] }, "not-public"],
  ["too many addresses", { A: Array.from({ length: 65 }, () => "93.184.215.14") }, "not-public"],
  ["no such name", { Status: 3 }, "unknown"],
  ["no addresses", {}, "unknown"],
  ["a failure of its server", { Status: 2 }, "unanswered"],
  ["a resolver that fails", { http: 503 }, "unanswered"],
  ["a resolver that redirects", { http: 302 }, "unanswered"],
  ["a resolver that answers no JSON", { raw: "<html>" }, "unanswered"],
  ["a resolver that answers another form", { raw: '{"Answer":[]}' }, "unanswered"],
  ["a resolver that answers too much", { raw: "x".repeat(70_000) }, "unanswered"],
];

describe("the answer of the resolver", () => {
  test.for(NAMES)("%s", async ([what, known, verdict]) => {
    const name = `${what.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.dev.com`;
    await setRecords(RESOLVER_URL, name, known);
    expect(await judgeName(RESOLVER_URL, name)).toBe(verdict);
  });
});

describe("a request", () => {
  const settings = {
    PUBLIC_BASE_URL: "https://workspace.dev.com",
    WEBHOOK_RESOLVER_URL: RESOLVER_URL,
    WEBHOOK_LOOPBACK: false,
  };
  const outside = openOutside(settings);

  test("asks the resolver each time, and sends nothing to a name that became private", async () => {
    const url = newReceiver();
    const { hostname } = new URL(url);
    expect(await outside.post(url, {}, "first")).toMatchObject({ kind: "answered", status: 204 });
    await setRecords(RESOLVER_URL, hostname, { A: ["127.0.0.1"] });
    expect(await outside.post(url, {}, "second")).toEqual({ kind: "refused", reason: "not-public" });
    await setRecords(RESOLVER_URL, hostname, { http: 500 });
    expect(await outside.post(url, {}, "third")).toEqual({ kind: "failed", reason: "resolver" });
    await setRecords(RESOLVER_URL, hostname, { Status: 3 });
    expect(await outside.post(url, {}, "fourth")).toEqual({ kind: "failed", reason: "no-such-name" });
    expect((await receivedBy(url)).map(({ body }) => body)).toEqual(["first"]);
  });

  test.for([301, 302, 303, 307, 308])("does not follow the redirect %i", async (status) => {
    const url = newReceiver();
    const target = newReceiver();
    await behave(url, { status, headers: { location: target } });
    expect(await outside.post(url, {}, "body")).toMatchObject({ kind: "answered", status });
    expect(await receivedBy(target)).toEqual([]);
  });

  test("is not sent to the service itself", async () => {
    const own = openOutside({ ...settings, PUBLIC_BASE_URL: `https://own${RECEIVERS}` });
    expect(own.faultOf(`https://own${RECEIVERS}/v1/orgs`)).toBe("own-address");
    expect(await own.post(`https://own${RECEIVERS}/v1/orgs`, {}, "")).toEqual({
      kind: "refused",
      reason: "own-address",
    });
  });

  test("is sent to this machine only where the operator allows it", () => {
    const local = openOutside({ ...settings, WEBHOOK_LOOPBACK: true });
    for (const address of ["http://127.0.0.1:9000/hook", "http://localhost:9000/hook", "http://[::1]:9000/hook"]) {
      expect(outside.faultOf(address)).not.toBeNull();
      expect(local.faultOf(address)).toBeNull();
    }
    for (const address of ["http://10.0.0.1/", "http://127.0.0.1@10.0.0.1/", "http://127.0.0.1.dev.com/"])
      expect(local.faultOf(address)).not.toBeNull();
  });
});
