import type { Origin } from '@svc/protocol/schema';
import type { ContractOperation, MessageContent, SoapContract } from '../../../platform/formats/wsdl/contract.ts';
import type { XmlElement } from '../../../platform/formats/wsdl/elements.ts';
import { Contents } from './contents.ts';
import type { DifferWsdl, WsdlDifference } from './differences.ts';
import { FieldComparison, type TypePlaces } from './fields.ts';

/** Where a configuration says what is compared. */
export interface OwnPlaces {
  /** The flow of an operation, and the types of its messages. */
  readonly flow: (operation: string) => OwnFlow | undefined;
  readonly type: TypePlaces;
}

interface OwnFlow {
  readonly at: Origin | undefined;
  readonly input: string | undefined;
  readonly output: string | undefined;
}

/** How the operations of a service, and their messages, differ from those of a contract. */
export function compareOperations(
  contract: SoapContract,
  served: SoapContract,
  places: OwnPlaces,
): readonly WsdlDifference[] {
  const found = new Map<string, WsdlDifference>();
  const differ: DifferWsdl = (one) => {
    const { code, isBreaking, says, message, contract: at, own } = one;
    const place = [at?.file, at?.start, own?.file, own?.range.start];
    const key = [code, isBreaking, says ?? message, ...place].join('\n');
    if (!found.has(key)) found.set(key, one);
  };
  const comparison = new Comparison(new Contents(contract), new Contents(served), places, differ);
  const own = new Map(served.operations.map((operation) => [operation.local, operation]));
  const note = (isBreaking: boolean, message: string, at: XmlElement | undefined, place?: Origin) =>
    differ({ code: 'contract-operation', isBreaking, message, contract: at, own: place });
  if (contract.version !== served.version)
    note(true, `SOAP ${served.version} is served, and the contract is of SOAP ${contract.version}`, contract.binding);
  for (const left of contract.left) note(false, `the contract has what is not compared: ${left}`, contract.binding);
  for (const operation of contract.operations) {
    const mine = own.get(operation.local);
    if (mine === undefined) note(true, `no flow serves ${operation.local}, which the contract has`, operation.bound);
    else comparison.compare(operation, mine);
  }
  const promised = new Set(contract.operations.map(({ local }) => local));
  for (const { local } of served.operations)
    if (!promised.has(local))
      note(false, `${local} is served, and the contract does not have it`, undefined, places.flow(local)?.at);
  return [...found.values()];
}

class Comparison {
  readonly #contract: Contents;
  readonly #served: Contents;
  readonly #places: OwnPlaces;
  readonly #differ: DifferWsdl;
  readonly #fields: FieldComparison;

  constructor(contract: Contents, served: Contents, places: OwnPlaces, differ: DifferWsdl) {
    this.#contract = contract;
    this.#served = served;
    this.#places = places;
    this.#differ = differ;
    this.#fields = new FieldComparison(contract, served, places.type, differ);
  }

  compare(a: ContractOperation, b: ContractOperation): void {
    const name = a.local;
    const { at: own, input, output } = this.#places.flow(name) ?? { at: undefined };
    const { bound: at } = a;
    const note = (isBreaking: boolean, says: string) =>
      this.#differ({ code: 'contract-operation', isBreaking, message: `${name} ${says}`, contract: at, own });
    // The name of its element alone says which operation a request is of.
    if (a.action !== undefined && a.action !== b.action)
      note(false, `has the SOAPAction ${b.action ?? '""'} here, and ${a.action} in the contract`);
    if (a.namespace !== b.namespace)
      note(false, `has the namespace ${b.namespace || '""'} here, and ${a.namespace || '""'} in the contract`);
    const common = { at, own, isItem: false };
    const [theirs, ours] = [this.#contract.ofMessage(a.input, at), this.#served.ofMessage(b.input, b.bound)];
    const subject = `the request of ${name}`;
    this.#fields.compare({ ...common, contract: theirs, served: ours, direction: 'request', subject, type: input });
    const { content: answer, list } = b.output === undefined ? noAnswer : this.#served.ofAnswer(b.output);
    if (a.output === undefined) {
      if (answer.kind === 'fields' && answer.fields.length > 0)
        note(false, 'is answered here, and not in the contract');
      return;
    }
    const [here, there] = [elementOf(b, b.output), elementOf(a, a.output)];
    if (here !== there) note(true, `is answered with the element ${here} here, and with ${there} in the contract`);
    const promised = this.#contract.ofAnswer(a.output);
    const isEither = list !== undefined && promised.list !== undefined;
    const contract = isEither ? promised.content : this.#contract.ofMessage(a.output, at);
    const answered = `the answer of ${name}`;
    this.#fields.compare({
      ...common,
      contract,
      served: answer,
      direction: 'answer',
      subject: answered,
      type: output,
      list: isEither ? undefined : list,
    });
  }
}

const noAnswer: ReturnType<Contents['ofAnswer']> = { content: { kind: 'open' }, list: undefined };

/** The element of an answer with its namespace; that of parts is named after the operation. */
function elementOf({ local, namespace }: ContractOperation, content: MessageContent | undefined): string {
  const named = content?.kind === 'element' ? content.element : { namespace, local: `${local}Response` };
  return named.namespace === '' ? named.local : `{${named.namespace}}${named.local}`;
}
