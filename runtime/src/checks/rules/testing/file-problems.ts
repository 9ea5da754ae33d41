import { rmSync } from 'node:fs';
import { folderWith } from '../../../../../test/support/folder.ts';
import { loadConfiguration } from '../../../service/config/load.ts';

/** Errors of a configuration of these files, those that are found in files it names included, with their places. */
export async function fileProblems(files: Readonly<Record<string, string>>) {
  const directory = folderWith(files);
  try {
    const options = { environment: {}, workingDirectory: directory, workers: 1, tests: false };
    const { diagnostics } = await loadConfiguration(directory, options);
    return diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ code, message, help, file, range }) => {
        const line = (files[file] ?? '').slice(0, range.start).split('\n').length;
        return { code, message, help, at: `${file}:${line}` };
      });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
