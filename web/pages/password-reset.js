import { onSend, part, post, Refused, showSection } from "./forms.js";

/** The token of the address `/password-reset#<token>`. A fragment is in no server log. Without a token, the page asks for an address. */
const token = location.hash.slice(1);
addEventListener("hashchange", () => location.reload());

onSend(part("ask").querySelector("form"), async ({ email }) => {
  await post("/v1/auth/password-reset", { email });
  part("address").textContent = email;
  showSection("asked");
});

onSend(part("set").querySelector("form"), async ({ password, again }) => {
  if (password !== again) throw new Refused("differs", "The two passwords differ. Enter the same one twice.");
  try {
    await post("/v1/auth/password-reset/complete", { token, password });
    showSection("done");
  } catch (thrown) {
    if (thrown.code !== "reset-ended") throw thrown;
    showSection("ended");
  }
});

showSection(token === "" ? "ask" : "set");
