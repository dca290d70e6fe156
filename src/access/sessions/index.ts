export { readAccessToken } from "./session-tokens";
export {
  endOtherSessions,
  openSession,
  presentTokens,
  type SecondFactor,
  type SessionTokens,
  type SignInMethod,
  sessionTokensSchema,
} from "./sessions";
