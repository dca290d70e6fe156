/** The texts of the sign-in page. */
export const SIGN_IN = {
  title: "Sign in",
  lead: "to your document workspace",
  email: "E-mail address",
  password: "Password",
  passwordHelp: "At least 10 characters.",
  send: "Sign in",
  keep: "Keep me signed in",
  keepHelp: "On your own devices only. Otherwise you sign in again when the browser is closed.",
  forgot: "Forgot your password?",
  register: "Create an account",
  invitationHelp: "Were you invited? Open the link of your invitation: you join there, and sign in here afterwards.",
  ended: "Your session has ended. Sign in again to go on.",
  failed: "You are not signed in",
  aside: "Picture",
  picture: "A quay at dusk, with the lamps of the site lit",
};

/** The texts of the page that an invitation leads to. */
export const INVITATION = {
  title: "Invitation",
  join: (organization: string) => `Join ${organization}`,
  invited: (role: string, email: string) => `You are invited as ${role.toLowerCase()}, with the address ${email}.`,
  opening: "Opening the invitation…",
  isNew: "I am new here",
  isKnown: "I have an account",
  account: "Your account",
  name: "Your name",
  password: "Your password",
  newPassword: "Password",
  register: "Register and join",
  signIn: "Sign in and join",
  accept: "Join",
  signedIn: (name: string) => `You are signed in as ${name}.`,
  otherAccount: (email: string) =>
    `You are signed in with the address ${email}. When you join, that session ends here.`,
  failed: "You have not joined",
  joined: (organization: string) => `You are a member of ${organization}.`,
  open: (organization: string) => `Open ${organization}`,
  /** An invitation that shares something instead of giving a role. */
  share: {
    title: {
      cluster: (organization: string) => `${organization} shares a cluster with you`,
      location: (organization: string) => `${organization} shares a location with you`,
      document: (organization: string) => `${organization} shares a document with you`,
    },
    lead: (name: string, email: string) => `“${name}”, for the address ${email}.`,
    register: "Register and open",
    signIn: "Sign in and open",
    accept: "Accept",
    otherAccount: (email: string) =>
      `You are signed in with the address ${email}. When you accept, that session ends here.`,
    failed: "You do not have access yet",
    joined: (name: string) => `“${name}” is shared with you.`,
    open: "Open",
  },
  ended: "This invitation has ended.",
  endedHelp: "It was used or withdrawn, or it has expired. Ask the person who invited you for a new one.",
  incomplete: "This link is not complete.",
  incompleteHelp:
    "Open the whole link, exactly as you got it. If it still does not work, ask the person who invited you for a new one.",
  unreadable: "The invitation could not be opened.",
};

/** The texts of the page that sets a new password. */
export const RESET = {
  title: "Forgot your password?",
  lead: "Enter the e-mail address of your account. You get a link to set a new password.",
  email: "E-mail address",
  send: "Send the link",
  sendFailed: "The link was not sent",
  sent: "Check your inbox.",
  sentHelp: (email: string) =>
    `If there is an account with ${email}, you get a link. It works once, within an hour. If you get none, ask the operator of this service for a link.`,
  set: "Set a new password",
  setLead: "Use at least 10 characters. All devices that are signed in to your account are signed out.",
  password: "New password",
  again: "Repeat the password",
  differ: "The two passwords differ. Enter the same one twice.",
  save: "Set the password",
  saveFailed: "The password was not set",
  done: "Your password is set.",
  doneHelp: "Sign in with it from now on.",
  signIn: "Sign in",
  ended: "This link has expired.",
  endedHelp: "It was used or is too old.",
  newLink: "Request a new link",
};

/** The texts of the page that creates an account. */
export const REGISTER = {
  title: "Create an account",
  lead: "You get a personal workspace. Organizations invite you by your e-mail address.",
  name: "Your name",
  email: "E-mail address",
  password: "Password",
  send: "Create the account",
  known: "I have an account",
  failed: "The account was not created",
};
