import type {
  ContractContent,
  ContractOperation,
  ContractParameter,
  OpenApiContract,
} from '../../platform/formats/openapi/contract.ts';
import type { Comparison, Direction } from './comparison.ts';
import { compareCredentials } from './credentials.ts';
import type { Differ, Difference, DifferenceCode } from './difference.ts';
import { compareSchemas } from './schemas.ts';

/** Media types that a connector reads although its description does not name them, by `METHOD /path`. */
export type AlsoRead = (operation: ContractOperation) => readonly string[];

/** How what a configuration serves differs from a contract, both as descriptions of OpenAPI. */
export function compareOpenApi(
  contract: OpenApiContract,
  served: OpenApiContract,
  alsoRead: AlsoRead,
): readonly Difference[] {
  const found: Difference[] = [];
  const differ: Differ = (difference) => found.push(difference);
  const own = new Map(served.operations.map((operation) => [keyOf(operation, served.base), operation]));
  // Something in front of the service may take the path of the address away.
  const matches = (base: string) => contract.operations.filter((each) => own.has(keyOf(each, base))).length;
  const base = matches('') > matches(contract.base) ? '' : contract.base;
  const promised = new Set<string>();
  for (const operation of contract.operations) {
    const key = keyOf(operation, base);
    promised.add(key);
    const mine = own.get(key);
    if (mine === undefined) {
      const isAnswered = operation.method === 'HEAD' && own.has(keyOf({ ...operation, method: 'GET' }, base));
      if (isAnswered) continue;
      const message = `no flow serves ${operation.method} ${base}${operation.path}, which the contract has`;
      differ({ code: 'contract-operation', isBreaking: true, message, contract: operation.at, served: undefined });
    } else new Pair(operation, mine, contract, served, differ, alsoRead(mine)).compare();
  }
  for (const [key, operation] of own) {
    if (promised.has(key)) continue;
    const message = `${operation.method} ${operation.path} is served, and the contract does not have it`;
    differ({ code: 'contract-operation', isBreaking: false, message, contract: undefined, served: operation.at });
  }
  return found;
}

/** Names of parameters of a path are of no concern to callers. */
function keyOf({ method, path }: Pick<ContractOperation, 'method' | 'path'>, base: string): string {
  return `${method} ${`${base}${path}`.replace(/\{[^{}]*\}/g, '{}')}`;
}

class Pair {
  readonly #contract: ContractOperation;
  readonly #served: ContractOperation;
  readonly #documents: Pick<Comparison, 'contract' | 'served'>;
  readonly #differ: Differ;
  readonly #alsoRead: readonly string[];
  readonly #name: string;
  readonly #credentials: () => void;

  constructor(
    contract: ContractOperation,
    served: ContractOperation,
    whole: OpenApiContract,
    own: OpenApiContract,
    differ: Differ,
    alsoRead: readonly string[],
  ) {
    this.#contract = contract;
    this.#served = served;
    this.#documents = { contract: whole.documents, served: own.documents };
    this.#differ = differ;
    this.#alsoRead = alsoRead;
    this.#name = `${served.method} ${served.path}`;
    this.#credentials = () => compareCredentials([contract, whole], [served, own], this.#name, differ);
  }

  compare(): void {
    this.#parameters();
    this.#body();
    this.#answers();
    this.#credentials();
  }

  #parameters(): void {
    const theirs = parametersOf(this.#contract);
    const ours = parametersOf(this.#served);
    for (const [key, parameter] of theirs) {
      const own = ours.get(key);
      const what = `the ${parameter.in} parameter "${parameter.name}" of ${this.#name}`;
      if (own === undefined) {
        this.#note('contract-parameter', true, `${what} is not declared here`, parameter, this.#served);
        continue;
      }
      if (own.required !== parameter.required) {
        const [here, there] = own.required ? ['must be sent', 'may be'] : ['may be sent', 'must be'];
        const standard =
          own.schema === undefined ? undefined : (own.schema.value as { readonly default?: unknown }).default;
        const isBreaking = own.required && standard === undefined;
        this.#note(
          'contract-parameter',
          isBreaking,
          `${what} ${here} here, and ${there} in the contract`,
          parameter,
          own,
        );
      }
      if (parameter.schema !== undefined && own.schema !== undefined)
        compareSchemas([parameter.schema], [own.schema], this.#comparison('request', what));
    }
    for (const [key, own] of ours) {
      if (theirs.has(key)) continue;
      const what = `the ${own.in} parameter "${own.name}" of ${this.#name}`;
      this.#note(
        'contract-parameter',
        own.required,
        `${what} is declared here, and not in the contract`,
        this.#contract,
        own,
      );
    }
  }

  #body(): void {
    const [theirs, ours] = [this.#contract.body, this.#served.body];
    const what = `the body of ${this.#name}`;
    if (ours === undefined) {
      if (theirs !== undefined) this.#note('contract-body', true, `${what} is not read here`, theirs, this.#served);
      return;
    }
    const [schema] = [...ours.types.values()];
    if (theirs === undefined) {
      // Every flow of such a method may have a body; one that is described must come.
      const isFree = JSON.stringify(schema?.value) === '{"type":"object"}';
      if (!isFree)
        this.#note(
          'contract-body',
          true,
          `${what} is asked for here, and the contract has no body`,
          this.#contract,
          ours,
        );
      return;
    }
    for (const type of theirs.types.keys())
      if (type !== '*/*' && !ours.types.has(type) && !this.#alsoRead.includes(type) && ours.types.size > 0)
        this.#note(
          'contract-body',
          true,
          `${what} may be ${type} in the contract, and is not read so here`,
          theirs,
          ours,
        );
    for (const type of ours.types.keys())
      if (theirs.types.size > 0 && !theirs.types.has(type) && !theirs.types.has('*/*'))
        this.#note('contract-body', false, `${what} may be ${type} here, and not in the contract`, theirs, ours);
    const [promised] = this.#common(theirs, ours);
    if (promised !== undefined && schema !== undefined)
      compareSchemas([promised], [schema], this.#comparison('request', what));
  }

  /** The schemas of one media type, else of the first of each. */
  #common(theirs: ContractContent, ours: ContractContent) {
    const type = [...theirs.types.keys()].find((each) => ours.types.has(each));
    const first = [...theirs.types.keys()].find((each) => /json|\*/.test(each) || this.#alsoRead.includes(each));
    const key = type ?? first;
    const [own] = ours.types.values();
    return key === undefined ? [] : [theirs.types.get(key), ours.types.get(key) ?? own];
  }

  #answers(): void {
    const [theirs, ours] = [this.#contract.answers, this.#served.answers];
    const isSuccess = (status: string) => /^[123]/.test(status);
    for (const [status, answer] of theirs) {
      if (!/^\d{3}$/.test(status)) continue;
      const own = ours.get(status);
      const what = `the answer ${status} of ${this.#name}`;
      if (own !== undefined) this.#answer(answer, own, what, isSuccess(status));
      else
        this.#note(
          'contract-answer',
          isSuccess(status),
          `${what} is not given here, as far as flows say it`,
          answer,
          this.#served,
        );
    }
    const ranges = [...theirs.keys()].map((status) => status.toUpperCase());
    const isCovered = (status: string) => theirs.has(status) || ranges.includes(`${status.charAt(0)}XX`);
    const says = [...theirs.keys()].some(isSuccess);
    for (const [status, own] of ours)
      if (isSuccess(status) && !isCovered(status) && (says || !theirs.has('default')))
        this.#note(
          'contract-answer',
          false,
          `the answer ${status} of ${this.#name} is given here, and not in the contract`,
          this.#contract,
          own,
        );
  }

  #answer(theirs: ContractContent, ours: ContractContent, what: string, isSuccess: boolean): void {
    const types = [...theirs.types.keys()];
    if (isSuccess && ours.types.size > 0)
      for (const type of types)
        if (type !== '*/*' && !ours.types.has(type))
          this.#note('contract-answer', true, `${what} may be ${type} in the contract, and is not here`, theirs, ours);
    if (types.length === 0 || ours.types.size === 0) {
      if (types.length > 0 && isSuccess)
        this.#note('contract-answer', true, `${what} has a body in the contract, and none here`, theirs, ours);
      return;
    }
    const [promised, own] = this.#common(theirs, ours);
    if (promised === undefined || own === undefined) return;
    if (isSuccess) return compareSchemas([promised], [own], this.#comparison('answer', what));
    // What failures look like is the same for every flow: it is said once, and breaks nothing that is asked for.
    const found: Difference[] = [];
    compareSchemas([promised], [own], { ...this.#comparison('answer', what), differ: (one) => found.push(one) });
    if (found.some(({ isBreaking }) => isBreaking))
      this.#note(
        'contract-answer',
        false,
        `${what} has another body in the contract: errors here are written by the connector`,
        theirs,
        ours,
      );
  }

  #comparison(direction: Direction, subject: string): Comparison {
    const differ = this.#differ;
    return { ...this.#documents, direction, subject, differ, isElement: false, seen: new Set() };
  }

  #note(
    code: DifferenceCode,
    isBreaking: boolean,
    message: string,
    contract: Pick<ContractOperation, 'at'> | undefined,
    served: Pick<ContractOperation, 'at'> | undefined,
  ): void {
    this.#differ({ code, isBreaking, message, contract: contract?.at, served: served?.at });
  }
}

/** Headers that belong to HTTP are described otherwise; cookies are not declared by flows. */
const ofHttp: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** The parameters by their place: those of a path are known by their position. */
function parametersOf({ parameters, path }: ContractOperation): ReadonlyMap<string, ContractParameter> {
  const positions = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  return new Map(
    parameters.flatMap((parameter) => {
      const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name;
      if (parameter.in === 'cookie' || (parameter.in === 'header' && ofHttp.has(name))) return [];
      const key = parameter.in === 'path' ? String(positions.indexOf(name)) : name;
      return [[`${parameter.in} ${key}`, parameter] as const];
    }),
  );
}
