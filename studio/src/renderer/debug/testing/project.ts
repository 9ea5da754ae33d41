import { createCelEngine } from '@svc/protocol/cel';
import { LanguageService } from '@svc/protocol/language';
import { languageSupport } from '@svc/runtime/language';
import type { QueryArguments, QueryName } from '../../../worker/language-requests.ts';
import type { Checked, LanguageClient } from '../../language/language-client.ts';
import { Store } from '../../state/store.ts';

/** The language service in this thread, with one file whose text can be changed. */
export class ProjectOfOneFile implements Pick<LanguageClient, 'ask' | 'checked'> {
  readonly checked = new Store<Checked>({ diagnostics: [], files: 0, at: undefined, milliseconds: 0 });
  readonly #service = new LanguageService(
    languageSupport(
      { env: () => undefined, readFile: () => '', absolutePath: (path) => path },
      createCelEngine({ environment: { now: () => 0, uuid: () => '', env: () => undefined, sha256: () => '' } }),
    ),
  );

  /** Resolves when the listeners have asked what they ask after a check. */
  async write(text: string): Promise<void> {
    this.#service.provide('main.hcl', text);
    this.checked.set({ ...this.checked.value, files: 1 });
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }

  ask: LanguageClient['ask'] = (name, args) => {
    const query = this.#service[name] as (...given: QueryArguments<QueryName>) => never;
    return Promise.resolve(query.apply(this.#service, args as never));
  };
}

export const orderFlow = (rules: string) => `flow "order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  transform {
${rules}
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;
