import { useState } from "preact/hooks";
import { WALL } from "#texts/cameras.ts";
import { FIRST_STEPS } from "#texts/first-steps.ts";
import type { Location } from "../../../../client/src/index.ts";
import { adminPath, tabPath } from "../../../../src/platform/paths.ts";
import { Icon } from "../../../ui/icon.tsx";
import { say } from "../../../ui/notice.tsx";
import { NewCamera } from "../cameras/index.ts";
import { InvitePerson } from "../people/index.ts";
import { session } from "../platform/session.ts";
import { type Beginning, remember } from "./beginning.ts";

type Step = keyof typeof FIRST_STEPS.steps;
const STEPS = Object.keys(FIRST_STEPS.steps) as Step[];

/** Why the organization cannot have cameras yet, in the place of their button. */
function CamerasOff({ name }: { name: string }) {
  if (session.value?.user.isAdmin !== true) return <p class="small muted">{WALL.offForOwner(name)}</p>;
  return (
    <a class="btn" href={adminPath("organizations")}>
      {WALL.switchOn}
    </a>
  );
}

/** The first steps of a new organization, each with its button. */
export function FirstSteps(props: {
  beginning: Beginning;
  locations: readonly Location[];
  onPlace: () => void;
  onChange: () => void;
}) {
  const text = FIRST_STEPS;
  const { beginning, locations, onPlace, onChange } = props;
  const { id, name } = beginning.organization;
  const [asking, setAsking] = useState<"people" | "camera" | null>(null);
  const [place] = locations;
  const isDone: Record<Step, boolean> = { ...beginning, place: place !== undefined };
  const next = STEPS.find((step) => !isDone[step]);
  const hide = () => {
    remember(id, true);
    onChange();
    say(text.hidden, async () => {
      remember(id, false);
      onChange();
    });
  };
  // At the end of the window: the link of an invitation stays until then.
  const close = () => {
    setAsking(null);
    onChange();
  };
  const act = (step: Step) => {
    const kind = step === next ? "btn primary" : "btn";
    const { button } = text.steps[step];
    if (step !== "place" && step !== "people" && place === undefined)
      return <p class="small muted">{text.needsPlace}</p>;
    if (step === "documents" && place !== undefined)
      return (
        <a class={kind} href={tabPath(place.id, "documents")}>
          {button}
        </a>
      );
    if (step === "camera" && !beginning.mayHaveCameras) return <CamerasOff name={name} />;
    return (
      <button type="button" class={kind} onClick={step === "place" ? onPlace : () => setAsking(step as "people")}>
        {button}
      </button>
    );
  };
  return (
    <section class="card pad stack first-steps" aria-labelledby="first-steps-title">
      <header class="row wrap">
        <div class="grow">
          <h2 id="first-steps-title">{text.title(name)}</h2>
          <p class="small muted">
            {text.progress(STEPS.filter((step) => isDone[step]).length, STEPS.length)}. {text.lead}
          </p>
        </div>
        <button type="button" class="btn bare" onClick={hide}>
          {text.hide}
        </button>
      </header>
      <ol>
        {STEPS.map((step) => (
          <li key={step} class={isDone[step] ? "done" : undefined}>
            <span class="mark" aria-hidden="true">
              {isDone[step] ? <Icon name="check" /> : STEPS.indexOf(step) + 1}
            </span>
            <div class="grow">
              <h3>
                {text.steps[step].title}
                {isDone[step] && <span class="sr">: {text.done}</span>}
              </h3>
              <p class="small muted">{text.steps[step].help}</p>
            </div>
            {isDone[step] ? <span class="chip">{text.done}</span> : act(step)}
          </li>
        ))}
      </ol>
      {asking === "people" && <InvitePerson present={beginning.organization} onAdded={() => {}} onClose={close} />}
      {asking === "camera" && <NewCamera onClose={close} />}
    </section>
  );
}
