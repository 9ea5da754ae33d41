import type { OutlineConnector, WorkspaceSymbol } from '@svc/protocol/language';
import type { LanguageClient } from '../language/language-client.ts';
import { partOfStudio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { type KindLook, lookOfKind, lookOfNode } from '../theme/connector-kind.ts';
import type { IconName } from '../theme/icon-shapes.ts';

export interface FileLook {
  readonly name: IconName;
  readonly className?: string | undefined;
}

const looksOfBlocks: Readonly<Record<string, FileLook>> = {
  flow: { name: 'flow' },
  saga: { name: 'flow' },
  type: { name: 'type' },
  transform: { name: 'shape', className: 'shape ink' },
};
const settings: FileLook = { name: 'gear' };
const byEnding: Readonly<Record<string, FileLook>> = {
  hcl: settings,
  sql: { name: 'database' },
  json: { name: 'code' },
};

/** How a file looks while nothing is known of what is in it. */
export function lookOfName(path: string): FileLook {
  return byEnding[path.slice(path.lastIndexOf('.') + 1)] ?? { name: 'files' };
}

/**
 * How configuration files look, by what is in them: a file of connectors carries the icon of their kind (a plug when
 * they are of several kinds), one with a flow that of flows. Files without named blocks are not in the answer.
 */
export function looksByContent(
  symbols: readonly Pick<WorkspaceSymbol, 'file' | 'kind'>[],
  connectors: readonly Pick<OutlineConnector, 'file' | 'kind' | 'declared' | 'word'>[],
): ReadonlyMap<string, FileLook> {
  const kinds = Map.groupBy(symbols, ({ file }) => file);
  const declared = Map.groupBy(
    connectors.filter((connector) => connector.declared),
    ({ file }) => file,
  );
  return new Map(
    [...kinds].map(([file, blocks]) => {
      const known = Object.keys(looksOfBlocks).find((kind) => blocks.some((block) => block.kind === kind));
      if (known !== undefined) return [file, looksOfBlocks[known] as FileLook];
      return [file, lookOfConnectors(declared.get(file) ?? [])];
    }),
  );
}

function lookOfConnectors(connectors: readonly Pick<OutlineConnector, 'kind' | 'word'>[]): FileLook {
  const looks = connectors.map((connector) => lookOfNode(connector));
  const [first] = looks;
  if (first === undefined) return settings;
  return looks.every((look) => look === first) ? inkOf(first) : inkOf(lookOfKind(undefined));
}

function inkOf({ name, className }: KindLook): FileLook {
  return { name, className: className === '' ? undefined : `${className} ink` };
}

/** How each configuration file looks now; asked again after every check. */
export class FileLooks {
  readonly byContent = new Store<ReadonlyMap<string, FileLook>>(new Map());
  #asked: AbortController | undefined;

  constructor(language: LanguageClient) {
    language.checked.subscribe(() => void this.#ask(language).catch(() => undefined));
  }

  of(path: string): FileLook {
    return this.byContent.value.get(path) ?? lookOfName(path);
  }

  async #ask(language: LanguageClient): Promise<void> {
    this.#asked?.abort();
    const { signal } = (this.#asked = new AbortController());
    const [symbols, { connectors }] = await Promise.all([
      language.ask('workspaceSymbols', [''], signal),
      language.ask('outline', [], signal),
    ]);
    const looks = looksByContent(symbols, connectors);
    if (!isSame(looks, this.byContent.value)) this.byContent.set(looks);
  }
}

function isSame(left: ReadonlyMap<string, FileLook>, right: ReadonlyMap<string, FileLook>): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([path, look]) => {
    const other = right.get(path);
    return other?.name === look.name && other.className === look.className;
  });
}

/** The icon of each file, by what is in it. */
export const fileLooksOf = partOfStudio(({ language }) => new FileLooks(language));
