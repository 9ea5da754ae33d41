import type { ContractOperation, OpenApiContract } from '../../platform/formats/openapi/contract.ts';
import { textOf } from '../../platform/formats/openapi/documents.ts';
import type { Differ } from './difference.ts';

type Described = readonly [operation: ContractOperation, contract: OpenApiContract];

/** Whether callers are asked for the credential that the contract asks for: by one of its alternatives. */
export function compareCredentials(contract: Described, served: Described, name: string, differ: Differ): void {
  const [theirs, ours] = [alternativesOf(contract), alternativesOf(served)];
  const report = (message: string) =>
    differ({
      code: 'contract-credential',
      isBreaking: true,
      message: `${name} ${message}`,
      contract: contract[0].at,
      served: served[0].at,
    });
  const isAsked = theirs.length > 0 && !theirs.includes('');
  if (ours.length === 0 || ours.includes('')) {
    if (isAsked) report(`asks for no credential here, and for ${theirs.join(' or ')} in the contract`);
  } else if (theirs.length === 0 || !theirs.some((each) => ours.includes(each)))
    report(
      `asks for ${ours.join(' or ')} here, and for ${isAsked ? theirs.join(' or ') : 'no credential'} in the contract`,
    );
}

/** Each alternative as one text: empty for no credential. */
function alternativesOf([{ security = [] }, { schemes, documents }]: Described): readonly string[] {
  return security.map((names) =>
    names
      .map((name) => {
        const scheme = schemes.get(name);
        return scheme === undefined ? name : kindOf(documents.resolve(scheme)?.value);
      })
      .sort()
      .join(' and '),
  );
}

/** Tokens are sent in one way, whatever they are fetched by. */
function kindOf(value: unknown): string {
  const type = textOf(value, 'type') ?? '';
  if (type === 'oauth2' || type === 'openIdConnect') return 'a bearer token';
  const scheme = textOf(value, 'scheme')?.toLowerCase();
  if (scheme !== undefined) return scheme === 'bearer' ? 'a bearer token' : `${scheme} credentials`;
  const name = textOf(value, 'name') ?? '';
  const place = textOf(value, 'in') ?? '';
  return `a key in the ${place} ${place === 'header' ? name.toLowerCase() : name}`;
}
