import { onSend, part, post, showSection } from "./forms.js";

/** The token of the address `/invitations#<token>`. A fragment is in no server log. */
const token = location.hash.slice(1);
addEventListener("hashchange", () => location.reload());

/** Ends the session that was opened to join, because this page has no further use for it. */
async function leave(session) {
  await post("/v1/auth/logout", {}, session.accessToken).catch(() => {});
}

/** Shows that the user has joined, or that the invitation has ended meanwhile. */
async function join(accept) {
  try {
    await accept();
    showSection("joined");
  } catch (thrown) {
    if (thrown.code !== "invitation-ended") throw thrown;
    showSection("ended");
  }
}

function choose(isNew) {
  part("new").hidden = !isNew;
  part("known").hidden = isNew;
  part("choose-new").ariaPressed = String(isNew);
  part("choose-known").ariaPressed = String(!isNew);
  part(isNew ? "new" : "known")
    .querySelector("input")
    .focus();
}

async function open() {
  const invitation = await post("/v1/invitations/preview", { token });
  const { email, organizationName, role } = invitation;
  document.title = `Join ${organizationName}`;
  for (const place of document.querySelectorAll(".organization")) place.textContent = organizationName;
  part("role").textContent = role;
  part("email").textContent = email;
  onSend(part("new"), ({ displayName, password }) =>
    join(async () => leave(await post("/v1/auth/register", { email, password, displayName, invitation: token }))),
  );
  onSend(part("known"), ({ password }) =>
    join(async () => {
      const session = await post("/v1/auth/login", { email, password });
      try {
        await post("/v1/invitations/accept", { token }, session.accessToken);
      } finally {
        await leave(session);
      }
    }),
  );
  part("choose-new").addEventListener("click", () => choose(true));
  part("choose-known").addEventListener("click", () => choose(false));
  showSection("invited");
}

part("again").addEventListener("click", () => location.reload());
if (!/^[0-9a-f]{64}$/.test(token)) showSection("incomplete");
else
  open().catch((thrown) => {
    part("failure").textContent = thrown.message;
    showSection(thrown.code === "invitation-ended" ? "ended" : "failed");
  });
