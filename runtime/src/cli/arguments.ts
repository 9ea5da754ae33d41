import { parseArgs } from 'node:util';
import { closest } from '@svc/protocol/text';
import { type Command, type OptionSpec, UsageError } from './command.ts';

/** Options that every command takes. */
export const globalOptions = {
  config: { short: 'c', kind: 'text', placeholder: 'DIR', doc: 'Configuration directory. Default: the current one.' },
  env: {
    short: 'e',
    kind: 'text',
    placeholder: 'NAME',
    doc: 'Environment: development, staging, production. Default: SVC_ENV, else development.',
  },
  'log-level': {
    kind: 'text',
    placeholder: 'LEVEL',
    doc: 'Least level that is logged.',
    choices: ['debug', 'info', 'warn', 'error'],
  },
  'log-format': { kind: 'text', placeholder: 'FORMAT', doc: 'How log lines are written.', choices: ['text', 'json'] },
  verbose: { short: 'v', kind: 'flag', doc: 'Same as --log-level debug.' },
  help: { short: 'h', kind: 'flag', doc: 'Show this help.' },
} as const satisfies Record<string, OptionSpec>;

export interface ParsedArguments {
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Checks the words after a command against its options. Throws UsageError with what to write instead. */
export function parseArguments(words: readonly string[], command: Command): ParsedArguments {
  const specs: Readonly<Record<string, OptionSpec>> = { ...globalOptions, ...command.options };
  refuseUnknown(words, specs);
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...words], options: toNode(specs), allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? firstSentence(error.message) : String(error));
  }
  const options: Record<string, string | boolean | readonly string[] | undefined> = {};
  for (const [name, value] of Object.entries(parsed.values)) {
    const spec = specs[name] as OptionSpec;
    const splits = spec.kind === 'list' && Array.isArray(value);
    const list = splits
      ? value.flatMap((item) => String(item).split(',')).filter(Boolean)
      : (value as string | string[]);
    for (const word of Array.isArray(list) ? list : [list])
      if (spec.choices && !spec.choices.includes(String(word)))
        throw new UsageError(`--${name} takes ${spec.choices.join(', ')}, not "${String(word)}"`);
    options[name] = list;
  }
  const most = command.most ?? 0;
  if (parsed.positionals.length > most) throw new UsageError(`unexpected argument "${parsed.positionals[most]}"`);
  return { options, positionals: parsed.positionals };
}

function toNode(specs: Readonly<Record<string, OptionSpec>>) {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      {
        type: spec.kind === 'flag' ? ('boolean' as const) : ('string' as const),
        ...(spec.short === undefined ? {} : { short: spec.short }),
        ...(spec.kind === 'list' || spec.kind === 'texts' ? { multiple: true } : {}),
      },
    ]),
  );
}

function refuseUnknown(words: readonly string[], specs: Readonly<Record<string, OptionSpec>>): void {
  for (const word of words) {
    if (word === '--') return;
    const name = /^--([^=]+)/.exec(word)?.[1];
    if (name === undefined || Object.hasOwn(specs, name)) continue;
    const near = closest(name, Object.keys(specs));
    throw new UsageError(`there is no option --${name}${near === undefined ? '' : `; did you mean --${near}?`}`);
  }
}

function firstSentence(message: string): string {
  return (message.split('. ')[0] ?? message).replace(/\.$/, '');
}
