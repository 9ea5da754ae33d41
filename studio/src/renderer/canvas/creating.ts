import type { ConnectorType, FlowEnd, NewBlock } from '@svc/protocol/language';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import type { Canvas } from './canvas.ts';

/** Connectors that a new flow is to join; what is absent is asked for. */
export interface FlowEnds {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The question for what is needed of something new. */
export type Creation = { readonly kind: 'connector' } | ({ readonly kind: 'flow' } & FlowEnds);

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

  /** What a flow says of a connector at one of its ends, or why the connector cannot be that end. */
  end(connector: string, side: 'source' | 'target'): Promise<FlowEnd> {
    return this.#studio.language.ask('flowEnd', [connector, side]);
  }

  /** Asks for a flow between connectors. Those that cannot be its ends are refused at once, with the reason. */
  async begin({ from, to }: FlowEnds): Promise<void> {
    const source = from === undefined ? undefined : await this.end(from, 'source');
    const target = to === undefined ? undefined : await this.end(to, 'target');
    const refusal = source?.refusal ?? target?.refusal;
    if (refusal !== undefined) this.#studio.notices.show('info', `${sentence(refusal)}.`, [], 'canvas.flow');
    else this.dialog.set({ kind: 'flow', from, to: to ?? (await this.#destination(from)) });
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

  /** The first other connector that messages can be sent to. */
  async #destination(from: string | undefined): Promise<string | undefined> {
    for (const name of this.connectors)
      if (name !== from && (await this.end(name, 'target')).refusal === undefined) return name;
    return undefined;
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
