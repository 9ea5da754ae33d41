import { fileProblems } from '../../../checks/rules/testing/file-problems.ts';

/** Errors of these files: what is wrong, what helps, where it is. */
export async function problemsIn(files: Readonly<Record<string, string>>) {
  return (await fileProblems(files)).map(({ message, help, at }) => [message, help, at]);
}
