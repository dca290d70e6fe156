/** The texts of the live connection. */
export const LIVE = {
  lost: (time: string) => `No connection since ${time}. The page may be out of date.`,
  trying: "Trying again…",
  tryingIn: (seconds: number) => `Trying again in ${seconds} s.`,
  now: "Try now",
  moving: (name: string) =>
    `${name} moves to another database. You can read everything; changes are possible again soon.`,
  moved: (share: string) => `${share} done`,
};
