import { length } from "./times.js";

export const part = (id) => document.getElementById(id);

/** Why a gap is one, where that is known. */
export const CAUSES = {
  paused: "paused",
  "outside-window": "outside its hours",
  offline: "site offline",
  "camera-fault": "camera fault",
};

/** How old the picture is that is shown. */
export function showAge({ capture, archive }) {
  if (capture === null) return;
  const age = length(Math.max(0, Date.now() - Date.parse(capture.capturedAtUtc)));
  part("age").textContent = `${age} ago${capture.id === archive?.last?.id ? " · latest" : ""}`;
}

function showGaps(gaps, clock) {
  part("gaps").hidden = gaps.length === 0;
  part("gaps-summary").textContent = `${gaps.length} ${gaps.length === 1 ? "gap" : "gaps"} without pictures`;
  const rows = gaps.map((gap) => {
    const row = document.createElement("tr");
    const texts = [clock.full(gap.start), clock.full(gap.end), length(gap.end - gap.start), CAUSES[gap.cause] ?? "—"];
    for (const text of texts) row.insertCell().textContent = text;
    return row;
  });
  part("gap-rows").replaceChildren(...rows);
}

/** The picture that is shown, in words. */
const describe = ({ camera, capture }, clock) => `${clock.full(Date.parse(capture.capturedAtUtc))}, ${camera.name}`;

/** Writes what is known of the open camera's archive and of the picture that is shown, by a clock. */
export function showFacts(state, clock) {
  const zone = clock.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  part("clock").textContent = `${state.viewersClock ? "Your clock" : "Camera’s clock"} (${zone})`;
  showGaps(state.archive?.gaps ?? [], clock);
  const { capture } = state;
  if (capture === null) return;
  const at = Date.parse(capture.capturedAtUtc);
  part("time").textContent = clock.full(at);
  part("time").dateTime = capture.capturedAtUtc;
  part("quality").textContent = capture.clockQuality === "estimated" ? "time estimated by the camera" : "";
  part("picture").alt = describe(state, clock);
  part("ruler").setAttribute("aria-valuenow", String(at));
  part("ruler").setAttribute("aria-valuetext", describe(state, clock));
  showAge(state);
}
