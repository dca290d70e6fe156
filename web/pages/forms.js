/** An error answer of the service: its `code`, and a message for the user. */
export class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Posts JSON. @returns the JSON of the answer, or null without a body. @throws Refused. */
export async function post(path, body, token) {
  let response;
  try {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const init = { method: "POST", headers, body: JSON.stringify(body), credentials: "omit", cache: "no-store" };
    response = await fetch(path, init);
  } catch {
    throw new Refused("unreachable", "The service does not answer. Try again in a moment.");
  }
  const text = await response.text();
  if (response.ok) return text === "" ? null : JSON.parse(text);
  try {
    const { code, detail } = JSON.parse(text);
    throw new Refused(code, detail);
  } catch (thrown) {
    throw thrown instanceof Refused ? thrown : new Refused("unknown", `The service answered ${response.status}.`);
  }
}

export const part = (id) => document.getElementById(id);

/** Shows one section of the page and hides the others. */
export function showSection(id) {
  for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== id;
  part(id).querySelector("input:not([readonly])")?.focus();
}

/** Sends a form: `send` gets the values of its fields. An error is shown in the form. */
export function onSend(form, send) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [button, problem] = [form.querySelector("button"), form.querySelector(".problem")];
    button.disabled = true;
    problem.textContent = "";
    try {
      await send(Object.fromEntries(new FormData(form)));
    } catch (thrown) {
      problem.textContent = thrown instanceof Refused ? thrown.message : "Something went wrong. Try again.";
    } finally {
      button.disabled = false;
    }
  });
}
