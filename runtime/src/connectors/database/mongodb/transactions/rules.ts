import { parametersOf, readCommand } from './command.ts';

/** What is wrong with a statement of a transaction, and the names of its parameters. */
export function checkStatement(text: string): string | readonly string[] {
  const command = readCommand(text);
  return typeof command === 'string' ? command : parametersOf(command);
}
