import "./people.css";
import type { ComponentChildren } from "preact";
import { initialsOf } from "../../../ui/format.ts";

/** A row of a list of people: initials, name and address, a text about them, and buttons. */
export function Person(props: {
  name: string;
  email: string;
  chips?: ComponentChildren;
  say?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <li class="person">
      <span class="avatar" aria-hidden="true">
        {initialsOf(props.name)}
      </span>
      <span class="grow">
        <b class="strong">{props.name}</b> {props.chips}
        <span class="small muted email">{props.email}</span>
        {props.say && <span class="small said">{props.say}</span>}
      </span>
      {props.children && <span class="row wrap does">{props.children}</span>}
    </li>
  );
}
