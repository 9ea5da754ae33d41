import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { formatHcl } from '@svc/protocol/syntax';
import { loadConfiguration } from '../../service/config/load.ts';
import { ContractProblem, type ImportContract, type ImportedFile } from '../../tools/import/contract.ts';
import { directoryOf } from '../call.ts';
import { type ExitStatus, type Invocation, UsageError } from '../command.ts';
import { besideOf, textOf } from '../contract-file.ts';
import { namesOf } from './kind.ts';

/** Contracts of other makers that `svc add` reads, by the word that is typed. */
const contracts: Readonly<Record<string, () => Promise<ImportContract>>> = {
  openapi: async () => (await import('../../tools/import/openapi/import.ts')).importOpenApi,
  graphql: async () => (await import('../../tools/import/graphql/import.ts')).importGraphql,
  proto: async () => (await import('../../tools/import/proto/import.ts')).importProto,
  wsdl: async () => (await import('../../tools/import/wsdl/import.ts')).importWsdl,
};

/** The words of contracts. */
export const contractNames: readonly string[] = Object.keys(contracts);

/** The options of contracts, and those that one of them takes. */
export const contractOptions: readonly string[] = ['connector', 'client'];
export const optionsOf = (word: string): readonly string[] => (word === 'openapi' ? contractOptions : ['connector']);

/**
 * `svc add openapi FILE`, and the same of the other contracts: writes what one says as connectors, types and flows. Writes
 * nothing when a file is there.
 */
export async function addContract(word: string, invocation: Invocation): Promise<ExitStatus> {
  const { options, positionals, streams, environment, workingDirectory } = invocation;
  const [, path] = positionals;
  if (path === undefined) throw new UsageError(`name the file: svc add ${word} FILE`);
  const refuse = (why: string): ExitStatus => {
    streams.error.write(`svc add: ${why}; nothing was written\n`);
    return 1;
  };
  const given = options['connector'];
  const connector = typeof given === 'string' ? given : basename(path, extname(path));
  if (!/^[A-Za-z_][\w-]*$/.test(connector))
    throw new UsageError(`"${connector}" is not a name for a connector: give one with --connector`);
  const isClient = options['client'] === true;
  const directory = directoryOf({ ...invocation, positionals: [] });
  const { project } = await loadConfiguration(directory, { environment, workingDirectory, tests: false, workers: 1 });
  if (namesOf('connector', project).includes(connector))
    return refuse(`there is a connector "${connector}" already: give another name with --connector`);
  try {
    const text = textOf(resolve(workingDirectory, path), path);
    const importContract = await (contracts[word] as () => Promise<ImportContract>)();
    const beside = besideOf(resolve(workingDirectory, path), workingDirectory);
    const { files, left } = importContract({ text, path, beside, connector, project, isClient });
    const there = files.map((file) => file.path).filter((each) => existsSync(join(directory, each)));
    if (there.length > 0) return refuse(`${there.join(', ')} ${there.length === 1 ? 'is' : 'are'} there already`);
    const taken = files.flatMap((file) => takenBy(file, (kind) => namesOf(kind, project)));
    if (taken.length > 0) return refuse(`there is a ${taken.join(', a ')} already`);
    for (const file of files) {
      write(join(directory, file.path), file);
      streams.out.write(`${join(directory, file.path)}\n`);
    }
    for (const sentence of left) streams.error.write(`not translated: ${sentence}\n`);
    return 0;
  } catch (error) {
    if (error instanceof ContractProblem) return refuse(error.message);
    throw error;
  }
}

const foldersOf: Readonly<Record<string, string>> = { types: 'type', flows: 'flow', connectors: 'connector' };

/** The block of a file that is there already, in whatever file. */
function takenBy({ path }: ImportedFile, names: (kind: string) => readonly string[]): string[] {
  const [folder = '', file = ''] = path.split('/');
  const kind = foldersOf[folder];
  const name = basename(file, '.hcl');
  return kind !== undefined && names(kind).includes(name) ? [`${kind} "${name}"`] : [];
}

function write(file: string, { path, text }: ImportedFile): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, path.endsWith('.hcl') ? formatHcl(`${text}\n`) : text, { flag: 'wx' });
}
