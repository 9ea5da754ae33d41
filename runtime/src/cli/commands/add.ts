import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatHcl } from '@svc/protocol/syntax';
import { closest } from '@svc/protocol/text';
import { vocabulary } from '../../checks/vocabulary.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { addContract, contractNames, contractOptions, optionsOf } from '../add/contracts.ts';
import { type AddKind, type Given, namesOf } from '../add/kind.ts';
import { isAvailable, kinds } from '../add/kinds.ts';
import { directoryOf } from '../call.ts';
import { type ExitStatus, type Invocation, type Run, type Streams, UsageError } from '../command.ts';

/** `svc add`: writes one declaration into a file of its own. Never overwrites one. */
export const run: Run = async (invocation) => {
  const { options, positionals, streams } = invocation;
  const [word, name] = positionals;
  if (word !== undefined && contractNames.includes(word) && options['list'] !== true) {
    refuseOptions(`${word} has no --`, optionsOf(word), invocation);
    return addContract(word, invocation);
  }
  const kind = word === undefined ? undefined : kindOf(word);
  if (options['list'] === true) return list(kind, streams);
  if (kind === undefined) throw new UsageError(`name what to add: ${availableNames().join(', ')}`);
  if (name === undefined) throw new UsageError(`name the ${kind.name}`);
  if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name))
    throw new UsageError(`"${name}" is not a name: use letters, digits, dashes and underscores`);
  refuseForeignOptions(kind, invocation);
  return add(kind, name, invocation);
};

async function add(kind: AddKind, name: string, invocation: Invocation): Promise<ExitStatus> {
  const { streams, environment, workingDirectory } = invocation;
  const directory = directoryOf({ ...invocation, positionals: [] });
  const loading = { environment, workingDirectory, tests: false, workers: 1 };
  const { project } = await loadConfiguration(directory, loading);
  const path = `${kind.folder}/${name}.hcl`;
  const refuse = (why: string): ExitStatus => {
    streams.error.write(`svc add: ${why}; nothing was written\n`);
    return 1;
  };
  const taken = [kind.word, kind.sharesNamesWith].find((word) => word && namesOf(word, project).includes(name));
  if (taken !== undefined)
    return refuse(`there is a ${kinds.find(({ word }) => word === taken)?.name} "${name}" already`);
  const source = kind.source({ name, given: givenIn(invocation), project, vocabulary });
  const file = join(directory, path);
  if (existsSync(file)) return refuse(`${path} is there already`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, formatHcl(`${source}\n`), { flag: 'wx' });
  streams.out.write(`${file}\n`);
  return 0;
}

function kindOf(word: string): AddKind {
  const kind = kinds.find((each) => each.name === word || each.word === word);
  if (kind === undefined) {
    const near = closest(word, availableNames());
    const hint = near === undefined ? `it is one of ${availableNames().join(', ')}` : `did you mean ${near}?`;
    throw new UsageError(`nothing called "${word}" can be added; ${hint}`);
  }
  if (!isAvailable(kind, vocabulary)) throw new UsageError(`${kind.word} is not available in this version`);
  return kind;
}

function availableNames(): readonly string[] {
  return [...kinds.filter((kind) => isAvailable(kind, vocabulary)).map((kind) => kind.name), ...contractNames];
}

/** Options of all kinds are in one list; each kind takes its own. */
function refuseForeignOptions(kind: AddKind, invocation: Invocation): void {
  refuseOptions(`a ${kind.name} has no --`, kind.options, invocation);
}

function refuseOptions(says: string, taken: readonly string[], { options }: Invocation): void {
  const all = new Set([...kinds.flatMap((each) => each.options), ...contractOptions]);
  const foreign = Object.keys(options).find((option) => all.has(option) && !taken.includes(option));
  if (foreign === undefined) return;
  const takes = taken.map((option) => `--${option}`).join(', ');
  throw new UsageError(`${says}${foreign}; it takes ${takes}`);
}

function givenIn({ options }: Invocation): Given {
  return {
    text: (option) => {
      const value = options[option];
      return typeof value === 'string' ? value : undefined;
    },
    list: (option) => {
      const value = options[option];
      return Array.isArray(value) ? (value as readonly string[]) : [];
    },
  };
}

/** What can be added, or the types of connectors. */
function list(kind: AddKind | undefined, { out }: Streams): ExitStatus {
  if (kind !== undefined && kind.word !== 'connector')
    throw new UsageError('--list shows kinds, or types of connectors');
  if (kind === undefined) {
    const shown = kinds.filter((each) => isAvailable(each, vocabulary));
    const width = Math.max(...[...shown.map((each) => each.name), ...contractNames].map((each) => each.length));
    for (const { name, options } of shown)
      out.write(`${name.padEnd(width)}  ${options.map((option) => `--${option}`).join(' ')}\n`);
    for (const name of contractNames)
      out.write(
        `${name.padEnd(width)}  FILE ${optionsOf(name)
          .map((option) => `--${option}`)
          .join(' ')}\n`,
      );
    return 0;
  }
  for (const { type, driver } of vocabulary.connectors)
    out.write(`--type ${type}${driver === undefined ? '' : ` --driver ${driver}`}\n`);
  return 0;
}
