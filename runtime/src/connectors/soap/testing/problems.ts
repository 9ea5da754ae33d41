import { folderWith } from '../../../../../test/support/folder.ts';
import { loadConfiguration } from '../../../config/load.ts';

/** Errors of these files, with their places. */
export async function problemsIn(files: Readonly<Record<string, string>>) {
  const directory = folderWith(files);
  const { diagnostics } = await loadConfiguration(directory, {
    environment: {},
    workingDirectory: directory,
    workers: 1,
    tests: false,
  });
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ message, help, file, range }) => {
      const line = (files[file] ?? '').slice(0, range.start).split('\n').length;
      return [message, help, `${file}:${line}`];
    });
}
