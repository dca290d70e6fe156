import "../../ui/tokens.css";
import "../../ui/base.css";
import "../../ui/components.css";
import "./viewer.css";
import { render } from "preact";
import { readHash } from "./address.ts";
import { Link } from "./link.ts";
import { Viewer } from "./viewer.tsx";

const { token } = readHash();
const link = new Link(token);
// Another link in the same window is another page.
addEventListener("hashchange", () => {
  if (readHash().token !== token) location.reload();
});
const root = document.getElementById("viewer");
root?.replaceChildren();
if (root !== null) render(<Viewer link={link} />, root);
void link.watch();
