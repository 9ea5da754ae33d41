import { Failure } from '../../../foundation/errors/failure.ts';
import { joined, pathProblem } from '../path.ts';

/**
 * The path of what a server lists in a folder. Throws for a malformed name, which could lead out of the folder, and for a
 * path that is longer than any may be, so that a tree that a server makes up has an end.
 */
export function listedPath(folder: string, name: string): string {
  const isName = name !== '' && name !== '.' && name !== '..' && !/[/\r\n\0]/.test(name);
  const path = joined(folder, name);
  if (isName && pathProblem(name) === undefined && pathProblem(path) === undefined) return path;
  throw noName();
}

/** The failure of a list with a malformed name. */
export function noName(): Failure {
  return new Failure('connector_failed', 'the server lists a name that cannot be one in its folder', {
    retriable: false,
  });
}
