import { Parser } from 'htmlparser2';
import { Failure } from '../../../foundation/errors/failure.ts';

/** An element of a document, and what it contains. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: Element | undefined;
  readonly children: (Element | string)[];
}

/** Elements in elements, and elements and texts of a document. */
const deepest = 120;
const most = 2_000_000;

/** Elements whose content is not text of the document. */
const silent = new Set([
  'script',
  'noscript',
  'template',
  'iframe',
  'object',
  'svg',
  'math',
  'select',
  'audio',
  'video',
]);

/** What a document says. */
export interface HtmlDocument {
  readonly root: Element;
  /** Texts of `<style>`. */
  readonly sheets: readonly string[];
  readonly title: string;
  /** Elements that are not printed. */
  readonly silent: ReadonlySet<string>;
}

/** Reads HTML, in any form that browsers read too. Throws `body_too_large`. */
export function readHtml(html: string): HtmlDocument {
  const root: Element = { name: '', attributes: {}, parent: undefined, children: [] };
  const sheets: string[] = [];
  const passedOver = new Set<string>();
  let title = '';
  let [at, depth, count, hidden] = [root, 0, 0, 0];
  const counted = () => {
    if (++count > most) throw new Failure('body_too_large', `the document has more than ${most} elements and texts`);
  };
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        counted();
        if (++depth > deepest)
          throw new Failure('body_too_large', `the document has more than ${deepest} elements inside each other`);
        if (silent.has(name)) {
          hidden++;
          passedOver.add(name);
        }
        const element: Element = { name, attributes, parent: at, children: [] };
        at.children.push(element);
        at = element;
      },
      ontext: (text) => {
        if (hidden > 0) return;
        if (at.name === 'style') sheets.push(text);
        else if (at.name === 'title') title += text;
        else {
          // What the parser divides, such as at entities, is one text.
          const last = at.children.length - 1;
          const before = at.children[last];
          if (typeof before === 'string') at.children[last] = before + text;
          else {
            counted();
            at.children.push(text);
          }
        }
      },
      onclosetag: (name) => {
        depth--;
        if (silent.has(name)) hidden--;
        at = at.parent ?? root;
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(html);
  return { root, sheets, title: title.replaceAll(/\s+/g, ' ').trim(), silent: passedOver };
}

/** The elements of a document in their order. */
export function* elementsOf(element: Element): Generator<Element> {
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    yield child;
    yield* elementsOf(child);
  }
}
