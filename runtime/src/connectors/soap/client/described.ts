import { closest } from '@svc/protocol/text';
import { readContract, type SoapContract } from '../../../platform/formats/wsdl/contract.ts';
import type { DescriptionFile } from '../../../platform/formats/wsdl/documents.ts';
import { NoContract } from '../../../platform/formats/wsdl/no-contract.ts';
import { type RequestForm, requestForms } from '../../../platform/formats/wsdl/requests.ts';

/** What a WSDL says to those who call the service. */
export interface DescribedPeer extends Pick<SoapContract, 'version' | 'address' | 'left'> {
  readonly operations: ReadonlyMap<string, RequestForm>;
}

/** Throws NoContract for a file that describes no service of SOAP, or imports what is not read. */
export function describedPeer(file: DescriptionFile): DescribedPeer {
  const contract = readContract(file);
  const [unread] = contract.unread;
  if (unread !== undefined) throw new NoContract(unread);
  const operations = requestForms(contract);
  if (operations.size === 0)
    throw new NoContract(['it has no operation that can be called', ...contract.left].join('; '));
  return { version: contract.version, address: contract.address, left: contract.left, operations };
}

/** Why something cannot be asked, and what may be meant instead. */
export interface Unasked {
  readonly message: string;
  readonly help: string;
}

export function unknownOperation({ operations }: DescribedPeer, name: string, path: string): Unasked {
  const near = closest(name, operations.keys());
  const names = [...operations.keys()];
  const shown = names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');
  return {
    message: `${path} has no operation "${name}"`,
    help: near === undefined ? `It has ${shown}.` : `Did you mean "${near}"?`,
  };
}

/** Undefined where the operation takes such a parameter, an attribute or a text. */
export function unknownParameter({ name, parameters }: RequestForm, parameter: string): Unasked | undefined {
  if (parameters === undefined || parameters.includes(parameter)) return undefined;
  if (parameter.startsWith('@') || parameter === '#text') return undefined;
  const near = closest(parameter, parameters);
  const takes = parameters.length === 0 ? 'It takes no parameters.' : `It takes ${parameters.join(', ')}.`;
  return {
    message: `operation "${name}" does not take ${parameter}`,
    help: near === undefined ? takes : `Did you mean ${near}?`,
  };
}
