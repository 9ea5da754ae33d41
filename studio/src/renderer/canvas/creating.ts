import type { ConnectorType, NewBlock } from '@svc/protocol/language';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import type { Canvas } from './canvas.ts';

/** The question for what is needed of something new. */
export type Creation =
  | { readonly kind: 'connector' }
  | { readonly kind: 'flow'; readonly from: string | undefined; readonly to: string | undefined };

/** Writes new connectors and flows, through the language service, where their like are written. */
export class Creating {
  readonly dialog = new Store<Creation | undefined>(undefined);
  readonly #studio: Studio;
  readonly #canvas: Canvas;

  constructor(studio: Studio, canvas: Canvas) {
    this.#studio = studio;
    this.#canvas = canvas;
  }

  types(): Promise<readonly ConnectorType[]> {
    return this.#studio.language.ask('connectorTypes', []);
  }

  /** Names of connectors that a flow may join. */
  get connectors(): readonly string[] {
    return this.#canvas.outline.value.connectors
      .filter(({ declared, word }) => declared && word === 'connector')
      .map(({ name }) => name);
  }

  /** Writes the block and selects it. Rejects with why it cannot be written. */
  async create(block: NewBlock): Promise<void> {
    const { language, project } = this.#studio;
    const { file, isNew, edits } = await language.ask('create', [block]);
    if (isNew) await project.create(file, edits.map(({ text }) => text).join(''));
    else await project.apply([{ file, edits }]);
    const id = 'addFlow' in block ? `flow ${block.addFlow.name}` : `connector ${block.addConnector.name}`;
    this.dialog.set(undefined);
    this.#canvas.selectWhenDrawn(id);
  }
}
