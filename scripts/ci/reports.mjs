import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ROOT } from "../setup/project.mjs";

/** Characters of the message of a failed test that are printed. */
const MAX_MESSAGE_LENGTH = 600;

/** The failed files of a JSON report of vitest, each once. A file that several projects run is in the report several times. */
export const failedFiles = ({ testResults }) => [
  ...new Set(testResults.filter(({ status }) => status === "failed").map(({ name }) => name)),
];

/** The failed tests of these results of files, each with a test as `file > title` and its message. A file that could not be loaded has no titles. */
export const failuresOf = (testResults) =>
  testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === "failed");
      const found = tests.length > 0 ? tests : [{ fullName: "the file", failureMessages: [message] }];
      return found.map(({ fullName, failureMessages }) => ({
        test: `${relative(ROOT, name)} > ${fullName}`,
        why: stripVTControlCharacters(failureMessages.join("; ")).slice(0, MAX_MESSAGE_LENGTH),
      }));
    });

/**
 * The report of a suite whose failed files ran once more: their second results stand for the first ones, in all projects of a file.
 * `unstable` has the tests that failed at first and whose file passed in all its projects then.
 */
export function joined(first, again) {
  const ranAgain = new Set(again.testResults.map(({ name }) => name));
  const failedAgain = new Set(failedFiles(again));
  const testResults = [...first.testResults.filter(({ name }) => !ranAgain.has(name)), ...again.testResults];
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (status) => tests.filter((test) => test.status === status).length;
  const passed = first.testResults.filter(({ name }) => ranAgain.has(name) && !failedAgain.has(name));
  return {
    ...first,
    testResults,
    numPassedTests: count("passed"),
    numFailedTests: count("failed"),
    unstable: failuresOf(passed),
  };
}
