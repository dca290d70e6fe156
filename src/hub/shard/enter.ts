import type { Joined, Registration } from "../location/channel";
import type { Joins } from "./joins";

/** What became of a connection that asked to join: this shard did not ask for it, or what the location said. */
export type Entered = { noted: "full" | "gone"; joined: null } | { noted: "new" | "again"; joined: Joined };

/**
 * Lets connections into a location that ask at the same time: they are noted by one transaction, and the location is
 * asked once. They are noted first, so that a revocation that arrives while the location answers finds them; what is
 * noted stays when the location fails, since it may have let them in.
 */
export async function enterTogether(
  joins: Joins,
  locationId: string,
  asking: readonly Registration[],
  ask: (admitted: Registration[]) => Promise<Joined[]>,
): Promise<Entered[]> {
  const noted = asking.map(({ connectionId }) => joins.note(connectionId, locationId));
  const admitted = asking.filter((_, i) => noted[i] === "new" || noted[i] === "again");
  const answers = admitted.length === 0 ? [] : await ask(admitted);
  const remaining = answers.values();
  return noted.map((how) => {
    if (how === "full" || how === "gone") return { noted: how, joined: null };
    return { noted: how, joined: remaining.next().value ?? { allowed: false, full: false } };
  });
}
