import type { Stop } from '@svc/protocol/language';
import type { ConnectorDeclaration, Declaration, Project } from '@svc/protocol/model';
import { type ArgumentSource, type Origin, originOf, type Values } from '@svc/protocol/schema';
import { resolveOperation } from '../connectors/operations.ts';
import type { StageName } from '../flow/part.ts';
import { flow as spec } from '../flow/spec.ts';
import { resolveDestinations, stageName } from '../flow/stages/destination/resolve.ts';
import { inOrder } from '../flow/stages/destination/transaction.ts';
import { verbOfSource } from '../flow/verb.ts';
import { connectorUse } from '../plan/connector-use.ts';

type FlowValues = Values<typeof spec>;
type Fields = readonly { readonly origin: Origin }[];

/**
 * Every place where a flow of the project can stop, in the order in which a message meets them (decisions 36). Flows
 * that are not finished have those of the blocks that are.
 */
export function flowStops(project: Project): readonly Stop[] {
  return project.all('flow', spec).flatMap((declaration) => new Stops(declaration, project).all());
}

class Stops {
  readonly #flow: string;
  readonly #values: Partial<FlowValues>;
  readonly #whole: Origin;
  readonly #project: Project;
  readonly #stops: Stop[] = [];

  constructor({ name, values, nameOrigin }: Declaration<FlowValues>, project: Project) {
    this.#flow = name;
    this.#values = values;
    this.#whole = nameOrigin;
    this.#project = project;
  }

  all(): readonly Stop[] {
    const {
      from,
      accept,
      validate,
      async,
      idempotency,
      cache,
      step = [],
      enrich = [],
      transform,
      dedupe,
      response,
    } = this.#values;
    this.#stage('input', '', this.#whole);
    if (from?.filter?.condition) this.#gate('filter', from.filter, from.filter.condition.origin);
    if (accept?.when) this.#gate('accept', accept, accept.when.origin);
    if (validate?.input) this.#stage('validate_input', '', originOf(validate, 'input'));
    if (async) this.#stage('async', '', originOf(async));
    if (idempotency) this.#rules('idempotency', '', originOf(idempotency), idempotency.key ? [idempotency.key] : []);
    if (cache) {
      this.#stage('cache_hit', '', originOf(cache));
      this.#stage('cache_miss', '', originOf(cache));
    }
    for (const each of step)
      this.#rules('step', each.label, originOf(each), [
        ...(each.when ? [each.when] : []),
        ...argumentRules(each.params),
        ...argumentRules(each.body),
        ...(each.headers?.fields ?? []),
      ]);
    for (const each of [...enrich, ...(transform?.enrich ?? [])])
      this.#rules('enrich', each.label, originOf(each), [
        ...(each.params?.fields ?? []),
        ...(each.headers?.fields ?? []),
      ]);
    if (transform && transform.fields.length > 0) this.#rules('transform', '', originOf(transform), transform.fields);
    this.#destinations(dedupe);
    if (response) {
      const { fields, http_status_code: status } = response;
      this.#rules('response', '', originOf(response), [...fields, ...(status ? [status] : [])]);
    }
    if (validate?.output) this.#stage('validate_output', '', originOf(validate, 'output'));
    return this.#stops;
  }

  /** What stands before the destinations of a writing flow is there only when there are any. */
  #destinations(dedupe: FlowValues['dedupe'] | undefined): void {
    const { from, to = [] } = this.#values;
    const { connectors } = this.#project;
    if (to.some(({ connector }) => !connectors.has(connector ?? ''))) return;
    const source = connectors.get(from?.connector ?? '');
    const named = source && resolveOperation(source, from?.operation);
    const verb = verbOfSource(source?.spec?.source, named?.operation ?? from?.operation);
    const connector = (name: string) => connectorUse(connectors.get(name) as ConnectorDeclaration, undefined);
    const destinations = resolveDestinations(this.#values as FlowValues, verb, { connector });
    if (dedupe && destinations.some((each) => each.verb !== 'read'))
      this.#rules('dedupe', '', originOf(dedupe), dedupeRules(dedupe));
    for (const destination of destinations) {
      const { values, verb: own } = destination;
      const { when, transform, transaction } = values;
      const rules = [...(when ? [when] : []), ...(transform?.fields ?? []), ...statementRules(transaction)];
      this.#rules(
        own === 'read' ? 'read' : 'write',
        stageName(destination),
        originOf(values),
        own === 'read' ? [] : rules,
      );
    }
  }

  #gate(stage: StageName, values: Parameters<typeof originOf>[0], rule: Origin): void {
    this.#rules(stage, '', originOf(values), [{ origin: rule }]);
  }

  #rules(stage: StageName, name: string, at: Origin, rules: Fields): void {
    this.#stage(stage, name, at);
    for (const [ruleIndex, { origin }] of rules.entries()) this.#add(stage, name, ruleIndex, origin);
  }

  #stage(stage: StageName, name: string, at: Origin): void {
    this.#add(stage, name, undefined, at);
  }

  #add(stage: StageName, name: string, ruleIndex: number | undefined, { file, range }: Origin): void {
    this.#stops.push({
      flow: this.#flow,
      stage,
      name,
      ruleIndex,
      file,
      range: { start: range.start, end: range.end },
    });
  }
}

/** What is compared, after the key and the condition. */
function dedupeRules({
  key,
  compare_when: condition,
  fingerprint,
  facet = [],
}: Partial<NonNullable<FlowValues['dedupe']>>): Fields {
  const fingerprints = [fingerprint, ...facet.map((each) => each.fingerprint)];
  return [
    ...(key ? [key] : []),
    ...(condition ? [condition] : []),
    ...fingerprints.flatMap((each) => each?.fields ?? []),
  ];
}

/** Every statement before its expressions, and the list of every loop before what stands in it. */
function statementRules(body: Parameters<typeof inOrder>[0] | undefined): Fields {
  if (body === undefined) return [];
  return inOrder(body).flatMap((each) => {
    if ('over' in each) return [each.over, ...statementRules(each)];
    return [{ origin: originOf(each) }, ...(each.when ? [each.when] : []), ...(each.params?.fields ?? [])];
  });
}

/** Every entry of an object, every item of a list, or the whole. */
function argumentRules(argument: ArgumentSource | undefined): Fields {
  if (argument === undefined) return [];
  if (argument.kind === 'map') return argument.entries.map(([, item]) => item);
  return argument.kind === 'list' ? argument.items : [argument];
}
