import type { Frame } from '../message/frame.ts';
import type { StepPart } from '../message/part.ts';
import type { FlowModel } from '../model.ts';
import { keepsAnswers } from '../pipeline/stages.ts';
import { type FoundSource, findSources } from '../sources-in.ts';
import { enrichmentOnlyReads } from '../stages/enrich/enrichment.ts';
import { enrichmentsOf } from '../stages/enrich/stage.ts';
import { stepOnlyReads } from '../stages/steps/request.ts';
import type { FlowTools } from '../tools.ts';

/** Whether something has to be done for a message. */
type Wanted = (frame: Frame) => boolean;

/** The work that can be skipped for a message whose caller requested only some fields of the answer. */
export interface Selection {
  /** Skips what no requested field needs; parts that are always needed stay as they are. */
  readonly part: (part: StepPart) => StepPart;
  /** When a field of the transform has to be built; undefined: always. */
  readonly field: (name: string) => Wanted | undefined;
}

/** `step user`, `enriched price`, `output total`. */
type Node = string;

const kinds = ['step', 'enriched', 'output'] as const;

/**
 * The steps and enrichments of a flow whose results only fields of its transform read, and the fields that need each,
 * also through other steps and fields. Writes always run. Undefined when nothing can ever be skipped: without a
 * transform, and when its whole result is needed, because it is written, stored or checked against a type.
 */
export function selectionOf(model: FlowModel, tools: FlowTools): Selection | undefined {
  const { values, destinations, outputTypes, work } = model;
  const fields = values.transform?.fields ?? [];
  const enrichments = enrichmentsOf(model);
  if (fields.length === 0 || values.step.length + enrichments.length === 0) return undefined;
  if (destinations.length > 0 || outputTypes.length > 0 || work !== undefined) return undefined;
  if (keepsAnswers(values)) return undefined;

  const gathers = new Map<Node, { readonly body: object; readonly onlyReads: boolean }>();
  for (const body of values.step) gathers.set(`step ${body.label}`, { body, onlyReads: stepOnlyReads(body, tools) });
  for (const body of enrichments)
    gathers.set(`enriched ${body.label}`, { body, onlyReads: enrichmentOnlyReads(body, tools) });
  const bodies = new Map<Node, unknown>([...gathers].map(([node, { body }]) => [node, body]));
  for (const { name, value } of fields) bodies.set(`output ${name}`, value);

  const dependencies = new Dependencies(bodies, tools);
  const { step: _steps, enrich: _enrich, transform: _transform, ...rest } = values;
  const writing = [...gathers].filter(([, { onlyReads }]) => !onlyReads).map(([node]) => node);
  const always = dependencies.closure([...dependencies.readBy(rest), ...writing]);
  const neededBy = new Map<Node, Set<string>>();
  const optional = new Set<Node>();
  for (const { name } of fields)
    for (const node of dependencies.closure([`output ${name}`])) {
      if (always.has(node)) continue;
      if (gathers.has(node)) optional.add(node);
      neededBy.set(node, (neededBy.get(node) ?? new Set()).add(name));
    }
  if (optional.size === 0) return undefined;

  const wanted = (node: Node): Wanted => {
    const names = neededBy.get(node) ?? new Set();
    return ({ message: { requested } }) => requested === undefined || requested.some((name) => names.has(name));
  };
  return {
    part: (part) => {
      const node = `${part.stage === 'step' ? 'step' : 'enriched'} ${part.name}`;
      return optional.has(node) ? onlyWhen(part, wanted(node)) : part;
    },
    field: (name) => {
      const node = `output ${name}`;
      const reaches = !always.has(node) && [...dependencies.closure([node])].some((each) => optional.has(each));
      return reaches ? wanted(node) : undefined;
    },
  };
}

/** Which results each body reads, and what these read in turn. */
class Dependencies {
  readonly #tools: FlowTools;
  readonly #direct: ReadonlyMap<Node, readonly Node[]>;
  readonly #nodes: readonly Node[];

  constructor(bodies: ReadonlyMap<Node, unknown>, tools: FlowTools) {
    this.#tools = tools;
    this.#nodes = [...bodies.keys()];
    this.#direct = new Map([...bodies].map(([node, body]) => [node, this.readBy(body)]));
  }

  /** What the expressions of a decoded body read. */
  readBy(body: unknown): readonly Node[] {
    const expressions = findSources(body).map(({ source, variables }: FoundSource) =>
      this.#tools.expression(source, '', variables),
    );
    return this.#nodes.filter((node) => {
      const kind = kinds.find((word) => node.startsWith(`${word} `)) as string;
      const path = [kind, node.slice(kind.length + 1)];
      return expressions.some((expression) => expression.reads(path));
    });
  }

  /** These and everything that they need. */
  closure(nodes: readonly Node[]): ReadonlySet<Node> {
    const found = new Set<Node>(nodes);
    for (const node of found) for (const next of this.#direct.get(node) ?? []) found.add(next);
    return found;
  }
}

function onlyWhen(part: StepPart, wanted: Wanted): StepPart {
  const { step, ruled } = part;
  return {
    ...part,
    step: step && ((frame) => (wanted(frame) ? step(frame) : undefined)),
    ruled:
      ruled &&
      ((watch) => {
        const run = ruled(watch);
        return (frame) => (wanted(frame) ? run(frame) : undefined);
      }),
  };
}
