import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { HostServices } from '../host.ts';
import type { Projects } from './projects.ts';
import { InTurn, StoredText } from './stored.ts';
import { largestFile } from './texts.ts';

const most = 200;

/** Unsaved texts of each folder, in a file of the settings directory that only this person can read. */
export function draftServices(
  projects: Projects,
  settingsDirectory: string,
): Pick<HostServices, 'drafts.keep' | 'drafts.list'> {
  const turns = new InTurn();
  const stored = () => {
    const name = createHash('sha256').update(projects.required.directory).digest('hex').slice(0, 32);
    return new StoredText(join(settingsDirectory, 'drafts', `${name}.json`));
  };
  return {
    'drafts.keep': ({ path, text }) =>
      turns.run(async () => {
        const file = stored();
        const drafts = await read(file);
        if (text === undefined) drafts.delete(path);
        else {
          if (Buffer.byteLength(text) > largestFile) throw new Error(`${path} is larger than 5 MiB`);
          if (!drafts.has(path) && drafts.size >= most) throw new Error(`there are ${most} unsaved files already`);
          drafts.set(path, text);
        }
        await file.write(drafts.size === 0 ? undefined : JSON.stringify(Object.fromEntries(drafts)));
        return {};
      }),
    'drafts.list': () =>
      turns.run(async () => ({ drafts: [...(await read(stored()))].map(([path, text]) => ({ path, text })) })),
  };
}

async function read(file: StoredText): Promise<Map<string, string>> {
  try {
    const entries = Object.entries(JSON.parse((await file.read()) ?? '{}') as Record<string, unknown>);
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}
