import type { QueryAnswer } from '../../../worker/language-requests.ts';
import type { LanguageClient } from '../../language/language-client.ts';
import { partOfStudio } from '../../shell/studio.ts';
import { Store } from '../../state/store.ts';

export type Outline = QueryAnswer<'outline'>;
export type OutlineFlow = Outline['flows'][number];
export type OutlineStage = OutlineFlow['stages'][number];
export type OutlineRule = OutlineStage['rules'][number];
export type OutlineConnector = Outline['connectors'][number];

/** The project's flows as they are written, asked again after each check. */
export class FlowMap {
  readonly outline = new Store<Outline>({ connectors: [], flows: [], edges: [], aspects: [], endpoints: [] });
  readonly #language: Pick<LanguageClient, 'ask' | 'checked'>;

  constructor(language: Pick<LanguageClient, 'ask' | 'checked'>) {
    this.#language = language;
    language.checked.subscribe(() => void this.#refresh().catch(() => undefined));
  }

  flow(name: string): OutlineFlow | undefined {
    return this.outline.value.flows.find((flow) => flow.name === name);
  }

  stage(flow: string, stage: string, name: string): OutlineStage | undefined {
    const stages = this.flow(flow)?.stages.filter((each) => each.stage === stage) ?? [];
    return stages.find((each) => each.name === name) ?? (name === '' ? stages[0] : undefined);
  }

  /** Where a rule of the running service is in the text: by its target, since rules may have moved. */
  rule(flow: string, stage: string, name: string, rule: { readonly index: number; readonly target: string }) {
    const rules = this.stage(flow, stage, name)?.rules ?? [];
    const here = rules.find(({ index }) => index === rule.index);
    return here?.target === rule.target ? here : rules.find(({ target }) => target === rule.target);
  }

  /** The connector that a stage names. */
  connectorOf(stage: OutlineStage): OutlineConnector | undefined {
    const { edges, connectors } = this.outline.value;
    const edge = edges.find((each) => each.stage === stage.id);
    return edge && connectors.find(({ id }) => id === edge.connector);
  }

  async #refresh(): Promise<void> {
    this.outline.set(await this.#language.ask('outline', []));
  }
}

/** Connectors and flows as they are written. */
export const flowsOf = partOfStudio(({ language }) => new FlowMap(language));
