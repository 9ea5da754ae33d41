import { join } from 'node:path';
import { InTurn, StoredText } from './files/stored.ts';
import type { HostServices } from './host.ts';

const largest = 1024 * 1024;

/** Settings of this person on this machine: one JSON object that the window gives its meaning. */
export function settingsServices(settingsDirectory: string): Pick<HostServices, 'settings.read' | 'settings.write'> {
  const file = new StoredText(join(settingsDirectory, 'settings.json'));
  const turns = new InTurn();
  return {
    'settings.read': async () => ({ json: (await file.read()) ?? '{}' }),
    'settings.write': ({ json }) =>
      turns.run(async () => {
        if (json.length > largest) throw new Error('the settings are larger than 1 MiB');
        if (!isObject(json)) throw new Error('settings are one JSON object');
        await file.write(json);
        return {};
      }),
  };
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
