import type { WorkspaceSymbol } from '@svc/protocol/language';
import type { LanguageClient } from '../language/language-client.ts';
import { partOfStudio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

export type Declaration = Pick<WorkspaceSymbol, 'name' | 'kind' | 'file' | 'range'>;

/** Where plugins and modules are declared in the texts; asked again after each check. */
export class Declarations {
  readonly all = new Store<readonly Declaration[]>([]);

  constructor(language: Pick<LanguageClient, 'ask' | 'checked'>) {
    language.checked.subscribe(() => void this.#ask(language).catch(() => undefined));
  }

  async #ask(language: Pick<LanguageClient, 'ask'>): Promise<void> {
    const found = await language.ask('workspaceSymbols', ['']);
    this.all.set(found.filter(({ kind }) => ['plugin', 'functions', 'validator', 'connector'].includes(kind)));
  }
}

export const declarationsOf = partOfStudio(({ language }) => new Declarations(language));
