import type { Node, ParsedTemplate, Pipeline } from './nodes.ts';
import { TokenReader } from './pipeline.ts';
import { TemplateProblem } from './problem.ts';
import { type Part, partsOf } from './tokens.ts';

/** Characters that a template may have, and blocks in blocks. */
const longest = 4 * 1024 * 1024;
const deepest = 200;

/** Reads the text of a template (Go, package text/template). Throws a TemplateProblem. */
export function parseTemplate(source: string): ParsedTemplate {
  if (source.length > longest) throw new TemplateProblem(`a template has at most ${longest} characters`, 1);
  return new Parser(partsOf(source)).parse();
}

/** What ends a list of nodes: `end`, or an `else` with what follows it. */
type Stop = { readonly word: 'end' } | { readonly word: 'else'; readonly reader: TokenReader };

class Parser {
  readonly #parts: readonly Part[];
  readonly #defined = new Map<string, readonly Node[]>();
  #at = 0;
  #depth = 0;
  #loops = 0;

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  parse(): ParsedTemplate {
    const body: Node[] = [];
    while (this.#at < this.#parts.length) {
      const stop = this.#add(body);
      if (stop === undefined) continue;
      throw new TemplateProblem(`{{${stop.word}}} ends nothing`, (this.#parts[this.#at - 1] as Part).line);
    }
    return { body, defined: this.#defined };
  }

  /** Adds the next node; what ends a list is returned. */
  #add(nodes: Node[]): Stop | undefined {
    const part = this.#parts[this.#at++] as Part;
    if (part.kind === 'text') return void nodes.push(part);
    const { line } = part;
    const reader = new TokenReader(part.tokens, line);
    const { next } = reader;
    const keyword = next?.kind === 'word' ? next.name : undefined;
    switch (keyword) {
      case 'end':
      case 'else':
        reader.take();
        if (keyword === 'end') reader.end('{{end}}');
        return keyword === 'end' ? { word: 'end' } : { word: 'else', reader };
      case 'if':
      case 'with':
      case 'range':
        reader.take();
        return void nodes.push(this.#choice(keyword, reader));
      case 'break':
      case 'continue':
        reader.take();
        reader.end(`{{${keyword}}}`);
        if (this.#loops === 0) throw new TemplateProblem(`{{${keyword}}} is outside of {{range}}`, line);
        return void nodes.push({ kind: keyword, line });
      case 'template':
        reader.take();
        return void nodes.push({ kind: 'template', name: this.#name(reader), argument: restOf(reader), line });
      case 'define': {
        reader.take();
        if (this.#depth > 0) throw new TemplateProblem('{{define}} is inside of another block', line);
        const name = this.#name(reader);
        reader.end('{{define}}');
        this.#define(name, this.#whole(line));
        return undefined;
      }
      case 'block': {
        reader.take();
        const name = this.#name(reader);
        const argument = restOf(reader);
        if (argument === undefined) throw new TemplateProblem('{{block}} needs a name and a value', line);
        const loops = this.#loops;
        this.#loops = 0;
        this.#define(name, this.#whole(line));
        this.#loops = loops;
        return void nodes.push({ kind: 'template', name, argument, line });
      }
      default:
        return void nodes.push({ kind: 'print', pipeline: reader.pipeline(), line });
    }
  }

  #choice(kind: 'if' | 'with' | 'range', reader: TokenReader): Node {
    const { line } = reader;
    const pipeline = reader.pipeline(kind === 'range' ? 2 : 1);
    if (kind === 'range') this.#loops++;
    const [body, stop] = this.#until(line);
    if (kind === 'range') this.#loops--;
    const otherwise = stop.word === 'end' ? [] : this.#otherwise(kind, stop.reader);
    return { kind, pipeline, body, otherwise, line };
  }

  #otherwise(kind: 'if' | 'with' | 'range', reader: TokenReader): readonly Node[] {
    if (!reader.isAtEnd) {
      const word = reader.takeWord();
      if (word !== kind || kind === 'range')
        throw new TemplateProblem(
          `behind {{else}} of {{${kind}}} nothing is written${kind === 'range' ? '' : `, or ${kind}`}`,
          reader.line,
        );
      this.#deeper(reader.line);
      const nested = [this.#choice(kind, reader)];
      this.#depth--;
      return nested;
    }
    const [nodes, stop] = this.#until(reader.line);
    if (stop.word === 'else') throw new TemplateProblem('{{else}} follows {{else}}', reader.line);
    return nodes;
  }

  #whole(line: number): readonly Node[] {
    const [nodes, stop] = this.#until(line);
    if (stop.word === 'else') throw new TemplateProblem('{{else}} ends nothing', line);
    return nodes;
  }

  #until(line: number): [readonly Node[], Stop] {
    this.#deeper(line);
    const nodes: Node[] = [];
    while (this.#at < this.#parts.length) {
      const stop = this.#add(nodes);
      if (stop === undefined) continue;
      this.#depth--;
      return [nodes, stop];
    }
    throw new TemplateProblem('the block that begins here has no {{end}}', line);
  }

  #deeper(line: number): void {
    if (++this.#depth > deepest) throw new TemplateProblem(`more than ${deepest} blocks inside each other`, line);
  }

  #name(reader: TokenReader): string {
    const token = reader.take();
    if (token?.kind === 'constant' && typeof token.value === 'string') return token.value;
    throw new TemplateProblem('the name of a template is written in quotes', reader.line);
  }

  #define(name: string, nodes: readonly Node[]): void {
    // As in Go, an empty definition does not replace another one.
    const isEmpty = nodes.every((node) => node.kind === 'text' && node.text.trim() === '');
    if (!isEmpty || !this.#defined.has(name)) this.#defined.set(name, nodes);
  }
}

function restOf(reader: TokenReader): Pipeline | undefined {
  return reader.isAtEnd ? undefined : reader.pipeline(0);
}
