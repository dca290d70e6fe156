import { vi } from "vitest";

/** The cost of scrypt in tests: 2^4 instead of 2^14. */
const N = 16;

/*
 * A hash takes 150 ms of CPU, and the tests sign hundreds of people up and in. Here it takes a thousandth of it. The tests of the running
 * service use the true cost.
 */
vi.mock("node:crypto", async (importOriginal) => {
  const crypto = await importOriginal<typeof import("node:crypto")>();
  const scrypt = (...[password, salt, length, options, done]: Parameters<typeof crypto.scrypt>) =>
    crypto.scrypt(password, salt, length, { ...options, N }, done);
  return { ...crypto, scrypt };
});
