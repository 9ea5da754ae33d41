import type { FileCheck, PublishedProblem } from '../../../foundation/contracts/published.ts';
import { NoContract } from '../../../platform/formats/wsdl/no-contract.ts';
import { operationOf } from './asked-operation.ts';
import { type DescribedPeer, describedPeer, unknownOperation, unknownParameter } from './described.ts';

/** What the WSDL of a client says, and whether it has the operations and parameters that flows name. */
export const checkFiles: FileCheck = ({ config, asked }, read) => {
  const { wsdl: path, endpoint } = config as { readonly wsdl?: string; readonly endpoint?: string };
  if (path === undefined) return [];
  const at = { of: 'connector', path: ['wsdl'] } as const;
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    return [{ code: 'unreadable-schema', message: (error as Error).message, at }];
  }
  const texts = new Map<string, string>();
  const reading = (file: string) => {
    const found = read(file);
    texts.set(file, found);
    return found;
  };
  let peer: DescribedPeer;
  try {
    peer = describedPeer({ text, path, read: reading });
  } catch (error) {
    if (!(error instanceof NoContract)) throw error;
    const file = error.file ?? path;
    const at = placeOf(file, texts.get(file) ?? text, error.line);
    return [{ code: 'malformed-schema', message: `${file}: ${error.message}`, at }];
  }
  const problems: PublishedProblem[] = [];
  if (endpoint === undefined && !/^https?:\/\/[^\s/?#]/.test(peer.address ?? ''))
    problems.push({
      code: 'missing-address',
      message: `${path} does not say the address of the service (http:// or https://)`,
      at,
      help: 'Write endpoint.',
    });
  for (const { operation: written, origin, params } of asked) {
    const name = operationOf(written, undefined);
    if (name === undefined) continue;
    const operation = peer.operations.get(name);
    if (operation === undefined) {
      problems.push({ code: 'unknown-operation', ...unknownOperation(peer, name, path), at: { of: 'call', origin } });
      continue;
    }
    for (const param of params) {
      const unknown = unknownParameter(operation, param.name);
      if (unknown !== undefined)
        problems.push({ code: 'unknown-parameter', ...unknown, at: { of: 'call', origin: param.origin } });
    }
  }
  return problems;
};

function placeOf(path: string, text: string, line: number | undefined): PublishedProblem['at'] {
  const lines = text.split('\n');
  const before = lines.slice(0, Math.max(0, (line ?? 1) - 1));
  const start = before.reduce((sum, each) => sum + each.length + 1, 0);
  return { of: 'file', path, start, end: start + Math.max(1, (lines[before.length] ?? '').length) };
}
