import { Failure, type FailureOptions } from '../../../foundation/errors/failure.ts';
import type { FailureCode, Passing } from '../../../foundation/errors/failures.ts';

interface Meaning {
  readonly code: FailureCode;
  readonly says: string;
  readonly retriable?: boolean;
  readonly passes?: Passing;
}

const refused = (says: string): Meaning => ({ code: 'value_refused', says });
/** Rights and the file system may be changed, not by another try at once. */
const denied = (says: string): Meaning => ({ code: 'connector_failed', says, retriable: false, passes: 'later' });

/** What the errors of a file system mean (errno(3)). */
const meanings: Readonly<Record<string, Meaning>> = {
  ENOENT: { code: 'not_found', says: 'there is no such file' },
  EISDIR: refused('it is a folder'),
  ENOTDIR: refused('a part of the path is not a folder'),
  ENOTEMPTY: refused('a folder that is not empty is there'),
  EEXIST: refused('it exists'),
  EXDEV: refused('a folder is not moved to another file system'),
  ENXIO: refused('it is not a regular file'),
  ELOOP: refused('it is a link, which is not followed'),
  ENAMETOOLONG: refused('the name is too long'),
  EINVAL: refused('the file system takes no such name'),
  EILSEQ: refused('the file system takes no such name'),
  EACCES: denied('the service may not do that: permission denied'),
  EPERM: denied('the service may not do that: operation not permitted'),
  EROFS: denied('the file system is read-only'),
  ENOSPC: { code: 'connector_refused', says: 'no space is left on the device' },
  EDQUOT: { code: 'connector_refused', says: 'the disk quota is exceeded' },
  EFBIG: denied('the file would be larger than the file system takes'),
  EMFILE: { code: 'connector_busy', says: 'the process has too many open files' },
  ENFILE: { code: 'connector_busy', says: 'the system has too many open files' },
  EIO: { code: 'connector_refused', says: 'the device reports an error' },
  ESTALE: { code: 'connector_refused', says: 'the file system has gone' },
  ENODEV: { code: 'connector_refused', says: 'the device has gone' },
};

/** The failure of an operation on the file at a path below the root. What is a Failure already stays as it is. */
export function failureOf(error: unknown, path: string): unknown {
  if (error instanceof Failure) return error;
  const { code = '', name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || code === '') return error;
  const shown = path === '' ? 'the root' : `"${path}"`;
  const meaning = Object.hasOwn(meanings, code) ? meanings[code] : undefined;
  if (meaning === undefined) return new Failure('connector_failed', `${shown}: ${code}`, { cause: error });
  const { code: kind, says, retriable, passes } = meaning;
  const options: FailureOptions = { cause: error, retriable, passes };
  return new Failure(kind, `${shown}: ${says}`, options);
}
