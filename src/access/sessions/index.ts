export { cookieSchema, dropEndedCookie, giveTokens } from "./cookie";
export { readAccessToken } from "./session-tokens";
export {
  endOtherSessions,
  openSession,
  type SecondFactor,
  type SessionTokens,
  type SignInMethod,
  sessionTokensSchema,
} from "./sessions";
