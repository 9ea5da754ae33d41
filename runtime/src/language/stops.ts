import type { Stop } from '@svc/protocol/language';
import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { type ArgumentSource, type CelSource, type Origin, originOf } from '@svc/protocol/schema';
import { type AspectDeclaration, aspectsOf } from '../flow/aspects/selection.ts';
import { type FlowDeclaration, flowsOf, type SagaDeclaration, sagaOf } from '../flow/declarations.ts';
import type { StageName } from '../flow/part.ts';
import { sagaPlaces } from '../flow/saga-places.ts';
import { resolveDestinations, stageName } from '../flow/stages/destination/resolve.ts';
import { inOrder } from '../flow/stages/destination/transaction.ts';
import { stateMachine } from '../flow/stages/state-transition/spec.ts';
import { connectorUse } from '../plan/connector-use.ts';
import { verbOfFlow } from '../rules/flow-verb.ts';

type FlowValues = FlowDeclaration['values'];
type Fields = readonly { readonly origin: Origin }[];

/**
 * Every place where a flow or saga of the project can stop, in the order in which a message meets them (decisions 36). Flows
 * that are not finished have those of the blocks that are.
 */
export function flowStops(project: Project): readonly Stop[] {
  return flowsOf(project).flatMap((declaration) => new Stops(declaration, project).all());
}

class Stops {
  readonly #flow: string;
  readonly #values: Partial<FlowValues>;
  readonly #whole: Origin;
  readonly #project: Project;
  readonly #saga: SagaDeclaration | undefined;
  readonly #stops: Stop[] = [];

  constructor(declaration: FlowDeclaration, project: Project) {
    const { name, values, nameOrigin } = declaration;
    this.#flow = name;
    this.#values = values;
    this.#whole = nameOrigin;
    this.#project = project;
    this.#saga = sagaOf(declaration);
  }

  all(): readonly Stop[] {
    const {
      from,
      accept,
      validate,
      async,
      idempotency,
      lock,
      semaphore,
      coordinate,
      sequence_guard,
      cache,
      step = [],
      enrich = [],
      transform,
      dedupe,
      batch,
      state_transition,
      response,
    } = this.#values;
    this.#stage('input', '', this.#whole);
    if (from?.filter?.condition) this.#gate('filter', from.filter, from.filter.condition.origin);
    if (accept?.when) this.#gate('accept', accept, accept.when.origin);
    if (validate?.input) this.#stage('validate_input', '', originOf(validate, 'input'));
    if (async) this.#stage('async', '', originOf(async));
    if (idempotency) this.#rules('idempotency', '', originOf(idempotency), idempotency.key ? [idempotency.key] : []);
    const aspects = aspectsOf(this.#flow, this.#project);
    for (const each of [...(aspects?.before ?? []), ...(aspects?.around ?? [])]) this.#aspect(each);
    if (lock) this.#rules('lock', '', originOf(lock), keyRules(lock.key));
    if (semaphore) this.#rules('semaphore', '', originOf(semaphore), keyRules(semaphore.key));
    if (coordinate) this.#coordinate(coordinate);
    if (sequence_guard) {
      const { key, sequence } = sequence_guard;
      this.#rules('sequence_guard', '', originOf(sequence_guard), [...keyRules(key), ...(sequence ? [sequence] : [])]);
    }
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
    if (batch) this.#batch(batch);
    else if (state_transition) this.#transition(state_transition);
    else if (this.#saga) this.#actions(this.#saga);
    else this.#destinations(dedupe);
    if (response) {
      const { fields, http_status_code: status } = response;
      this.#rules('response', '', originOf(response), [...fields, ...(status ? [status] : [])]);
    }
    if (validate?.output) this.#stage('validate_output', '', originOf(validate, 'output'));
    for (const phase of ['after', 'on_error', 'on_drop'] as const)
      for (const each of aspects?.[phase] ?? []) this.#aspect(each);
    return this.#stops;
  }

  /** An aspect stands in a text of its own, for each flow that it matches. */
  #aspect({ name, values }: AspectDeclaration): void {
    const { if: condition, action, response } = values;
    this.#rules('aspect', name, originOf(values), [
      ...(condition ? [condition] : []),
      ...(action?.transform?.fields ?? []),
      ...(response?.fields ?? []),
    ]);
  }

  #coordinate(coordinate: NonNullable<FlowValues['coordinate']>): void {
    const { wait, signal } = coordinate;
    const known = (sources: readonly (CelSource | undefined)[]) => sources.filter((each) => each !== undefined);
    if (wait) this.#rules('coordinate', 'wait', originOf(wait), known([wait.when, wait.for]));
    if (signal) this.#rules('coordinate', 'signal', originOf(signal), known([signal.when, signal.emit]));
  }

  #transition(transition: NonNullable<FlowValues['state_transition']>): void {
    const { machine, id, event, data } = transition;
    const declared = this.#project.all('state_machine', stateMachine).find(({ name }) => name === machine);
    const guards = (declared?.values.state ?? []).flatMap(({ on }) => on.flatMap(({ guard }) => guard ?? []));
    const rules = [id, event, ...(data ? [data] : []), ...guards].filter((each) => each !== undefined);
    this.#rules('state_transition', machine, originOf(transition), rules);
  }

  #batch(batch: NonNullable<FlowValues['batch']>): void {
    this.#stage('read', batch.source, originOf(batch, 'source'));
    this.#rules('transform', 'chunk', originOf(batch), batch.transform?.fields ?? []);
    if (batch.to) this.#stage('write', batch.to.connector, originOf(batch.to));
  }

  /** What stands before the destinations of a writing flow is there only when there are any. */
  #destinations(dedupe: FlowValues['dedupe'] | undefined): void {
    const { to = [] } = this.#values;
    const { connectors } = this.#project;
    if (to.some(({ connector }) => !connectors.has(connector ?? ''))) return;
    const verb = verbOfFlow(this.#values, connectors);
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

  #actions(saga: SagaDeclaration): void {
    for (const { name, values } of sagaPlaces(saga)) {
      const { connector, data, body, set, where, params, template, to } = values;
      const asked = connector === undefined ? [] : [data, body, set, where, params, template, to];
      this.#rules('step', name, originOf(values), asked.flatMap(argumentRules));
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

/** A key that is an expression; a plain name has nothing to stop at. */
function keyRules(key: ArgumentSource | undefined): Fields {
  return key?.kind === 'cel' ? [key] : [];
}

/** Every entry of an object, every item of a list, or the whole. */
function argumentRules(argument: ArgumentSource | undefined): Fields {
  if (argument === undefined) return [];
  if (argument.kind === 'map') return argument.entries.map(([, item]) => item);
  return argument.kind === 'list' ? argument.items : [argument];
}
