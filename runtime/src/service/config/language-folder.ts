import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LanguageService } from '@svc/protocol/language';
import type { OpenedFolder } from '@svc/protocol/lsp';
import type { DecodedText } from '@svc/protocol/text';
import { languageSupport } from '../../checks/language/support.ts';
import { createExpressionEngine } from '../../engine/plan/engine.ts';
import { isBelow } from '../../foundation/disk/regular-file.ts';
import { isConfigurationFile, isConfigurationFolder } from './discover.ts';
import { readDotenv, type Variables, withDotenv } from './dotenv.ts';
import { nodeHost } from './host.ts';
import { readConfiguration } from './read.ts';
import { readWritten } from './written.ts';

/** The language service of a directory on this machine. Rejects when the directory cannot be read. */
export async function openDirectory(directory: string, environment: Variables): Promise<OpenedFolder> {
  let variables = await variablesOf(directory, environment);
  // The host asks through the live variables, so that a changed .env counts after a refresh.
  const live = new Proxy<Record<string, string | undefined>>({}, { get: (_target, name) => variables[String(name)] });
  const host = nodeHost({ directory, workingDirectory: directory, variables: live, confined: true });
  const service = new LanguageService(
    languageSupport(
      host,
      createExpressionEngine((name) => variables[name]),
    ),
  );
  for (const file of await readConfiguration(directory, { tests: true, confined: true }))
    service.provide(file.path, file);
  return {
    uri: pathToFileURL(directory).href,
    service,
    isConfiguration,
    read: async (path) => readBelow(directory, path),
    refresh: async () => {
      variables = await variablesOf(directory, environment);
      service.refresh();
    },
  };
}

/** The text of a file below the directory; undefined when it is absent. */
function readBelow(directory: string, path: string): DecodedText | undefined {
  const place = join(directory, path);
  try {
    if (!isBelow(place, directory)) return undefined;
  } catch {
    return undefined;
  }
  return readWritten(place, path);
}

async function variablesOf(directory: string, environment: Variables): Promise<Variables> {
  return withDotenv(environment, await readDotenv(directory, directory, environment).catch(() => undefined));
}

function isConfiguration(path: string): boolean {
  const parts = path.split('/');
  return isConfigurationFile(parts.pop() as string) && parts.every(isConfigurationFolder);
}
