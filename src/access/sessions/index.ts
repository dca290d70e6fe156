export { readAccessToken } from "./session-tokens";
export { endOtherSessions, openSession, presentTokens, type SessionTokens, sessionTokensSchema } from "./sessions";
