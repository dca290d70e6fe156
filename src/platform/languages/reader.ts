import { type Caller, isUser } from "../caller";
import type { Context } from "../context";
import { DEFAULT_LANGUAGE, type ReaderLanguage } from "./languages";
import { say } from "./translate";

/** The language that the caller has chosen; null without a choice, and for callers that are no people. */
const chosenLanguage = (caller: Caller): ReaderLanguage | null => (isUser(caller) ? caller.language : null);

/** The language of the reader of an answer: the person's choice, else the language of the request, else the first one. */
export const readerLanguage = ({ caller, origin }: Pick<Context, "caller" | "origin">): ReaderLanguage =>
  chosenLanguage(caller) ?? origin?.language ?? DEFAULT_LANGUAGE;

/** A sentence that the service has stored, such as the reason of a failure, in the language of the request that reads it. */
export const sayTo = <Text extends string | null>({ origin }: Pick<Context, "origin">, text: Text): Text =>
  (text === null ? text : say(text, origin?.language ?? DEFAULT_LANGUAGE)) as Text;
