/** The notification about a webhook that the service switched off. */
export const MESSAGES = {
  disabled: (name: string) => `The webhook “${name}” is switched off`,
  reasons: {
    gone: "Its address answered that it is gone (410).",
    dead: "Its address has not accepted a request for three days.",
    full: "Too many of its events wait for their delivery.",
    "subscriber-left": "The person whose access it uses is not a member any more. Switch it on to use your access.",
    "secret-unreadable": "Its secret cannot be read in this installation. Create another secret, and switch it on.",
  },
};
