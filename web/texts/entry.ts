/** The texts of the sign-in page. */
export const SIGN_IN = {
  title: "Sign in",
  lead: "to your document workspace",
  email: "E-mail address",
  password: "Password",
  send: "Sign in",
  forgot: "Forgot your password?",
  register: "Create an account",
  invitationHelp: "Were you invited? Open the link of your invitation: you join there, and sign in here afterwards.",
  ended: "Your session has ended. Sign in again to go on.",
  failed: "You are not signed in",
  aside: "Picture",
  picture: "A quay at dusk, with the lamps of the site lit",
};

/** The texts of the page that creates an account. */
export const REGISTER = {
  title: "Create an account",
  lead: "You get a personal workspace. Organizations invite you by your e-mail address.",
  name: "Your name",
  email: "E-mail address",
  password: "Password",
  passwordHelp: "At least 10 characters.",
  send: "Create the account",
  known: "I have an account",
  failed: "The account was not created",
};
