import type { Choose } from '../../foundation/contracts/queue.ts';
import { oneOf } from '../../tools/queues/digest.ts';
import type { Payload } from '../../tools/queues/publishing.ts';
import { conditionOf } from '../../tools/queues/where.ts';
import { type Invocation, UsageError } from '../command.ts';
import { messagesOf, readInput } from './input.ts';
import type { AskedOfDesk } from './printed.ts';

/** What is asked for. */
export interface Asked extends AskedOfDesk {
  readonly word: Word;
  /** Undefined for `list` of every one. */
  readonly connector: string | undefined;
  /** By `--where` and `--only`. */
  readonly choose: Choose;
  readonly target: string | undefined;
  /** Of `publish`; undefined for a sample of the flow's type. */
  readonly messages: readonly Payload[] | undefined;
  /** Of `publish`: nothing is sent. */
  readonly isDryRun: boolean;
}

const words = ['list', 'peek', 'publish', 'replay', 'discard'] as const;
export type Word = (typeof words)[number];

/** What each word takes beside the connector. */
const optionsOf: Readonly<Record<Word, readonly string[]>> = {
  list: [],
  peek: ['limit', 'where', 'only', 'dead'],
  publish: ['input', 'sample', 'target', 'dry-run'],
  replay: ['limit', 'where', 'only', 'passing', 'with', 'to', 'yes'],
  discard: ['limit', 'where', 'only', 'yes'],
};
const ofSomeWords = [...new Set(Object.values(optionsOf).flat())];

/** Messages that are looked at or sent back where nothing is written. */
const standardLimits: Readonly<Record<Word, number>> = { list: 1, peek: 10, publish: 1, replay: 100, discard: 100 };
const mostMessages = 10_000;

/** Throws UsageError where it is asked wrongly. */
export async function askedOf({ positionals, options, streams, workingDirectory }: Invocation): Promise<Asked> {
  const [word, connector, ...rest] = positionals;
  if (word === undefined || !isWord(word))
    throw new UsageError(`${word === undefined ? 'say what to do' : `"${word}" is unknown`}: ${words.join(', ')}`);
  if ((connector === undefined && word !== 'list') || rest.length > 0)
    throw new UsageError(`"${word}" takes the name of one connector`);
  for (const name of ofSomeWords)
    if (options[name] !== undefined && options[name] !== false && !optionsOf[word].includes(name))
      throw new UsageError(`--${name} belongs to ${words.filter((each) => optionsOf[each].includes(name)).join(', ')}`);
  const written = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  const [input, content, only] = [written('input'), written('with'), written('only')];
  const isSample = options['sample'] === true;
  if (word === 'publish' && (input === undefined) !== isSample)
    throw new UsageError(
      isSample
        ? '--sample makes the message: leave --input out'
        : '--input names a file of messages, or - for standard input; --sample makes one of the type of the flow',
    );
  const limit = Number(written('limit') ?? (content === undefined ? standardLimits[word] : 1));
  if (!Number.isInteger(limit) || limit < 1 || limit > mostMessages)
    throw new UsageError(`--limit takes a whole number from 1 to ${mostMessages}`);
  if (content !== undefined && (only === undefined || only.includes(',') || limit > 1))
    throw new UsageError('--with changes one dead letter: name it by its digest with --only');
  const read = (option: string, name: string) => readInput(option, name, workingDirectory, streams);
  return {
    word,
    connector,
    limit,
    isJson: options['format'] === 'json',
    isConfirmed: options['yes'] === true,
    isDead: options['dead'] === true,
    onlyPassing: options['passing'] === true,
    isDryRun: options['dry-run'] === true,
    choose: bothOf(oneOf(only), chosenWhere(written('where'))),
    target: written('target'),
    messages: input === undefined ? undefined : messagesOf(await read('--input', input)),
    change: {
      content: content === undefined ? undefined : Buffer.from(await read('--with', content)),
      to: written('to'),
    },
  };
}

function chosenWhere(text: string | undefined): Choose {
  if (text === undefined) return () => true;
  const condition = conditionOf(text);
  if (typeof condition === 'string') throw new UsageError(`--where is not a condition: ${condition}`);
  return condition;
}

/** Of messages that are named, the condition is asked. */
function bothOf(named: Choose, condition: Choose): Choose {
  return async (message) => (await named(message)) && (await condition(message));
}

function isWord(word: string): word is Word {
  return (words as readonly string[]).includes(word);
}
