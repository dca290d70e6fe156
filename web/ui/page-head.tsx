import type { ComponentChildren } from "preact";

/** The head of a view: its title, a sentence about it, and its actions. */
export function PageHead(props: { title: string; lead: string; children?: ComponentChildren }) {
  return (
    <header class="page-head">
      <div class="grow">
        <h1>{props.title}</h1>
        <p>{props.lead}</p>
      </div>
      {props.children}
    </header>
  );
}
