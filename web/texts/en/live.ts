/** The texts of the live connection. */
export const LIVE = {
  lost: (time: string) => `No connection since ${time}. The page may be out of date.`,
  trying: "Trying again…",
  tryingIn: (seconds: number) => `Trying again in ${seconds} s.`,
  now: "Try now",
};
