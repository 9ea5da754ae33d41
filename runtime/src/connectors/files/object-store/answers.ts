import { type Answers, timeOf, whole } from '../answers.ts';

/** What an object store answers, as its users read it: without the quotes that an ETag has in HTTP. */
export const objectAnswers: Answers = {
  named: 'key',
  row: ({ path, isFolder, size, modified, etag, details }, exact) =>
    isFolder
      ? { key: path, is_dir: true, size: whole(0, exact), last_modified: timeOf(modified), etag: null }
      : {
          key: path,
          size: whole(size, exact),
          last_modified: timeOf(modified),
          etag: unquoted(etag),
          ...details,
        },
  written: ({ path, bytes, details = {} }, exact) => ({
    key: path,
    bucket: details['bucket'],
    etag: unquoted(details['etag']),
    size: whole(bytes, exact),
    uploaded: true,
  }),
};

/** An ETag without the quotes that it has in HTTP; null where it is absent. */
export function unquoted(etag: unknown): string | null {
  return typeof etag === 'string' ? etag.replace(/^(?:W\/)?"(.*)"$/, '$1') : null;
}
