import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { vocabulary } from '../../checks/vocabulary.ts';
import { UsageError } from '../command.ts';
import type { RunAction } from './action.ts';
import { projectFiles } from './project/files.ts';
import { type Kind, kinds } from './project/kinds.ts';

/** `svc plugin new`: writes the project of a plugin, which is complete and works. It changes nothing that is there. */
export const run: RunAction = async ({ options, workingDirectory, streams }, name = '') => {
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(name))
    throw new UsageError(`"${name}" is not a name of a plugin: use lower-case letters, digits, - and _`);
  const kind = options['kind'] as Kind | undefined;
  if (kind === undefined) throw new UsageError(`say what it provides: --kind ${kinds.join(', --kind ')}`);
  if (
    kind === 'connector' &&
    vocabulary.connectors.some(({ type, typeAliases }) => [type, ...typeAliases].includes(name))
  )
    throw new UsageError(`there is a connector type "${name}" already: choose another name`);
  const parent = typeof options['config'] === 'string' ? options['config'] : '.';
  const folder = join(parent, name);
  const directory = resolve(workingDirectory, folder);
  const files = projectFiles(name, kind);
  const existing = Object.keys(files).filter((path) => existsSync(join(directory, path)));
  if (existing.length > 0) {
    streams.error.write(`svc plugin: ${existing.join(', ')} already there in ${directory}; nothing was written\n`);
    return 1;
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text, { flag: 'wx' });
    streams.out.write(`${join(folder, path)}\n`);
  }
  streams.error.write(
    `\nNow compile and test it:\n  cd ${folder}\n  npm install\n  npm run build\n  svc plugin test\nand use it in a service:\n  plugin "${name}" {\n    source = "<path of ${folder}>"\n  }\n`,
  );
  return 0;
};
