import { CAMERA, CHECKS, STATE } from "#texts/cameras.ts";
import { type Camera, dataOf, eachItem } from "../../../../client/src/index.ts";
import { zonedTimeOf } from "../../../ui/format.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { collect } from "../platform/listed.ts";
import { api } from "../platform/session.ts";
import { checksOf, type Others } from "./checks.ts";
import { stateOf } from "./state.ts";

/** The other cameras of the same location that should send pictures. */
function useOthers(camera: Camera): Others | null {
  const { id, organizationId, locationId } = camera;
  const { data, error } = useLoaded(`others ${id} ${camera.lastSeenAtUtc}`, () => {
    const query = { organizationId, locationId, limit: 100 };
    return collect(eachItem((cursor) => dataOf(api.GET("/v1/cameras", { params: { query: { ...query, cursor } } }))));
  });
  // The list helps without the other cameras too.
  if (error !== undefined) return { count: 0, silent: 0 };
  if (data === undefined) return null;
  const now = Date.now();
  const states = data.filter((one) => one.id !== id).map((one) => stateOf(one, now).health);
  const working = states.filter((health) => health !== "calm");
  return { count: working.length, silent: working.filter((health) => health === "silent").length };
}

/** What to check, for a camera that is silent: from its heartbeat, its last error, and the other cameras of the place. */
export function WhatToCheck({ camera }: { camera: Camera }) {
  const others = useOthers(camera);
  const text = CHECKS;
  if (others === null) return null;
  const now = Date.now();
  const { lastSeenAtUtc, device, timeZone } = camera;
  const error = device?.errorCode ?? null;
  const facts: [string, string][] = [
    [text.heartbeat, lastSeenAtUtc === null ? CAMERA.never : zonedTimeOf(Date.parse(lastSeenAtUtc), timeZone, now)],
    [text.error, error === null ? text.noError : STATE.faultAndCode(error)],
    [
      text.network,
      others.count === 0
        ? text.others.none
        : others.silent === others.count
          ? text.others.all(others.count)
          : text.others.some(others.silent, others.count),
    ],
  ];
  return (
    <section class="card pad stack checks" aria-labelledby="checks-title">
      <h3 id="checks-title">{text.title}</h3>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p class="small muted">{text.lead}</p>
      <ol>
        {checksOf(camera, others, now).map((check) => (
          <li key={check}>
            <b class="strong">{text.items[check].what}</b>
            <p class="small">{text.items[check].how}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
