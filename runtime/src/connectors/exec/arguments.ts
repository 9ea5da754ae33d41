import type { ArgumentSource } from '@svc/protocol/schema';
import { Content } from '../../foundation/contracts/content.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { encodeJson } from '../../platform/formats/json.ts';

/** What a value is called in messages. */
type Name = string;

/**
 * The arguments of one call, in their order. Those that the configuration writes are taken as they are. A value of a
 * message cannot become an option: one that begins with `-` is refused, unless `--` ends the options before it.
 */
export class Arguments {
  readonly all: string[];
  #areOptionsOver: boolean;

  /** `written` come from the configuration. */
  constructor(written: readonly string[]) {
    this.all = [...written];
    this.#areOptionsOver = written.includes('--');
  }

  /** Adds what the configuration writes. */
  written(value: unknown, name: Name): void {
    for (const text of texts(value, name)) {
      this.all.push(text);
      if (text === '--') this.#areOptionsOver = true;
    }
  }

  /** Adds what a message says: a list is one argument for each element, null none. Throws `value_refused`. */
  given(value: unknown, name: Name): void {
    for (const text of texts(value, name)) {
      if (text.startsWith('-') && !this.#areOptionsOver)
        throw refused(
          name,
          'begins with "-", which the command could read as an option: write "--" before it in `args`',
        );
      this.all.push(text);
    }
  }

  /** Adds a field as `--name=value`, whose value cannot be read as an option; a list is one for each element. */
  field(name: string, value: unknown): void {
    for (const text of texts(value, name)) this.all.push(`--${name}=${text}`);
  }
}

/** Which of the values of `args` the configuration writes; the others come from messages. */
export function writtenPlaces(source: ArgumentSource | undefined): (place: number) => boolean {
  if (source === undefined || source.kind === 'cel' || source.kind === 'map') return () => false;
  if (source.kind === 'constant') return () => !isField(source.value);
  return (place) => {
    const item = source.items[place];
    return item?.kind === 'constant' && !isField(item.value);
  };
}

/** A text `":name"` takes that field of the message. */
function isField(value: unknown): boolean {
  return typeof value === 'string' && /^:[A-Za-z_]\w*$/.test(value);
}

function texts(value: unknown, name: Name): readonly string[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.flatMap((each) => texts(each, name)) : [textOf(value, name)];
}

function textOf(value: unknown, name: Name): string {
  const text = typeof value === 'object' ? structureText(value as object, name) : String(value);
  if (text.includes('\0')) throw refused(name, 'holds NUL, which no argument can');
  if (!text.isWellFormed()) throw refused(name, 'is not well-formed Unicode');
  return text;
}

/** A structure is JSON; one that JSON writes as a text, such as a time, is that text. */
function structureText(value: object, name: Name): string {
  if (value instanceof Content || ArrayBuffer.isView(value))
    throw refused(name, 'is a file, which no argument can be: give it to the program with `stdin`');
  const json = encodeJson(value);
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

function refused(name: Name, problem: string): Failure {
  const fields = [{ field: name, code: 'argument', message: problem }];
  return new Failure('value_refused', `the argument "${name}" ${problem}`, { fields });
}
