import { type Declarations, declarationsIn } from './declarations.ts';
import type { Element } from './tree.ts';

/** A font that a document brings. */
export interface FontFace {
  readonly family: string;
  /** Path below the folder of the template. */
  readonly path: string;
  readonly bold: boolean;
  readonly italic: boolean;
}

/** One step of a selector: `td.sum`, `#total`. */
interface Simple {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly classes: readonly string[];
}

interface Rule {
  /** The element itself last, before it those around it. */
  readonly steps: readonly Simple[];
  readonly weight: number;
  readonly declarations: Declarations;
}

/** Characters of the source of a font. */
const longestSource = 2000;
/** Rules of a document. */
const mostRules = 1000;

/** What `<style>` says: rules for elements by name, class, id and those around them; and fonts. */
export class Sheet {
  readonly fonts: readonly FontFace[];
  /** By the name of the element that they are for, `*` for any. */
  readonly #rules = new Map<string, Rule[]>();

  constructor(texts: readonly string[]) {
    const fonts: FontFace[] = [];
    let count = 0;
    for (const [selectors, body] of blocksIn(withoutComments(texts.join('\n')))) {
      const declarations = declarationsIn(body);
      if (/^@font-face$/i.test(selectors)) fonts.push(...faceOf(declarations));
      if (selectors.startsWith('@')) continue;
      for (const selector of selectors.split(',')) {
        const rule = ruleOf(selector, declarations);
        if (rule === undefined || ++count > mostRules) continue;
        const name = rule.steps.at(-1)?.name ?? '*';
        const rules = this.#rules.get(name);
        if (rules === undefined) this.#rules.set(name, [rule]);
        else rules.push(rule);
      }
    }
    this.fonts = fonts;
  }

  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  /** What the rules say of an element, those that count more later. */
  of(element: Element): readonly Declarations[] {
    const candidates = [...(this.#rules.get(element.name) ?? []), ...(this.#rules.get('*') ?? [])];
    return candidates
      .filter(({ steps }) => matches(element, steps))
      .sort((a, b) => a.weight - b.weight)
      .map(({ declarations }) => declarations);
  }
}

function withoutComments(text: string): string {
  let rest = '';
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('/*', at);
    rest += text.slice(at, open < 0 ? text.length : open);
    const close = open < 0 ? -1 : text.indexOf('*/', open + 2);
    at = close < 0 ? text.length : close + 2;
  }
  return rest.replaceAll(/<!--|-->/g, ' ');
}

/** Selectors and bodies; blocks inside of others, such as those of `@media`, are passed over. */
function* blocksIn(text: string): Generator<readonly [string, string]> {
  for (let at = 0; ; ) {
    const open = text.indexOf('{', at);
    if (open < 0) return;
    let depth = 1;
    let end = open + 1;
    for (; end < text.length && depth > 0; end++) depth += text[end] === '{' ? 1 : text[end] === '}' ? -1 : 0;
    const selectors = text.slice(at, open).split(';').at(-1)?.trim() ?? '';
    yield [selectors, text.slice(open + 1, depth === 0 ? end - 1 : end)];
    at = end;
  }
}

function ruleOf(selector: string, declarations: Declarations): Rule | undefined {
  const steps: Simple[] = [];
  for (const written of selector.trim().split(/\s+/)) {
    const [, name, rest = ''] = /^([a-z][a-z0-9]*|\*)?((?:[.#][\w-]+)*)$/i.exec(written) ?? [];
    if (written === '' || (name === undefined && rest === '')) return undefined;
    const parts = rest.match(/[.#][\w-]+/g) ?? [];
    steps.push({
      name: name === '*' ? undefined : name?.toLowerCase(),
      id: parts.find((part) => part.startsWith('#'))?.slice(1),
      classes: parts.flatMap((part) => (part.startsWith('.') ? [part.slice(1)] : [])),
    });
  }
  const weight = steps.reduce(
    (sum, { name, id, classes }) => sum + (id ? 10_000 : 0) + classes.length * 100 + (name ? 1 : 0),
    0,
  );
  return { steps, weight, declarations };
}

function matches(element: Element, steps: readonly Simple[]): boolean {
  let at = steps.length - 1;
  if (!isOne(element, steps[at] as Simple)) return false;
  at--;
  for (let around = element.parent; around !== undefined && at >= 0; around = around.parent)
    if (isOne(around, steps[at] as Simple)) at--;
  return at < 0;
}

function isOne({ name, attributes }: Element, step: Simple): boolean {
  if (step.name !== undefined && step.name !== name) return false;
  if (step.id !== undefined && step.id !== attributes['id']) return false;
  if (step.classes.length === 0) return true;
  const classes = (attributes['class'] ?? '').split(/\s+/);
  return step.classes.every((each) => classes.includes(each));
}

function faceOf(declarations: Declarations): FontFace[] {
  const family = unquoted(declarations.get('font-family'));
  const [, path] =
    /url\(\s*(["']?)(.*?)\1\s*\)/i.exec(declarations.get('src')?.slice(0, longestSource) ?? '')?.slice(1) ?? [];
  if (family === undefined || path === undefined) return [];
  return [
    {
      family: family.toLowerCase(),
      path,
      bold: isBold(declarations.get('font-weight')),
      italic: isItalic(declarations.get('font-style')),
    },
  ];
}

export function isBold(weight: string | undefined): boolean {
  return weight !== undefined && (/^bold/i.test(weight) || Number(weight) >= 600);
}

export function isItalic(style: string | undefined): boolean {
  return style !== undefined && /^(?:italic|oblique)/i.test(style);
}

/** The names of families in their order, in lower case. */
export function familiesIn(text: string): readonly string[] {
  return text.split(',').flatMap((name) => unquoted(name)?.toLowerCase() ?? []);
}

function unquoted(text: string | undefined): string | undefined {
  const name = text?.trim().replace(/^(["'])(.*)\1$/, '$2');
  return name === '' ? undefined : name;
}
