import { LanguageService } from '@svc/protocol/language';
import type { Range } from '@svc/protocol/text';
import { createExpressionEngine } from '../../../engine/plan/engine.ts';
import { languageSupport } from '../support.ts';

/** Language support for texts alone: no file is there, no variable is set. */
export function supportOfTexts() {
  const host = {
    env: () => undefined,
    readFile: (path: string): string => {
      throw new Error(`the file ${path} cannot be read: it does not exist`);
    },
    absolutePath: (path: string) => `/service/${path}`,
  };
  return languageSupport(
    host,
    createExpressionEngine(() => undefined),
  );
}

/** A service of texts with a cursor, written `<|>` in one of them, as an editor shows it. */
export class Editor {
  readonly service = new LanguageService(supportOfTexts());
  readonly path: string;
  readonly offset: number;

  /** A single text is that of `main.hcl`. Throws when the cursor is not written exactly once. */
  constructor(written: string | Readonly<Record<string, string>>) {
    const texts = Object.entries(typeof written === 'string' ? { 'main.hcl': written } : written);
    const [[path, marked], ...more] = texts.filter(([, text]) => text.includes('<|>')) as [[string, string]];
    if (path === undefined || more.length > 0) throw new Error('write the cursor once, as <|>');
    this.path = path;
    this.offset = marked.indexOf('<|>');
    for (const [name, text] of texts) this.service.provide(name, text.replace('<|>', ''));
  }

  /** The text of a range, with its file in front when it is another one. */
  show({ file, range }: { readonly file?: string; readonly range: Range }): string {
    const text = (this.service.text(file ?? this.path) ?? '').slice(range.start, range.end);
    const line = this.service.lines(file ?? this.path).position(range.start).line;
    return `${file ?? this.path}:${line} ${text}`;
  }

  completion() {
    return this.service.completion(this.path, this.offset);
  }

  labels(): readonly string[] {
    return this.completion().map(({ label }) => label);
  }

  hover(): string | undefined {
    return this.service.hover(this.path, this.offset)?.text;
  }

  definition(): readonly string[] {
    return this.service.definition(this.path, this.offset).map((place) => this.show(place));
  }

  references(): readonly string[] {
    return this.service.references(this.path, this.offset, true).map((place) => this.show(place));
  }

  /** The texts of all changed files after a rename. */
  rename(to: string): Readonly<Record<string, string>> {
    const edits = this.service.rename(this.path, this.offset, to);
    for (const [path, own] of edits) {
      this.service.open(path, this.service.text(path) ?? '');
      this.service.change(path, own);
    }
    return Object.fromEntries([...edits.keys()].map((path) => [path, this.service.text(path) ?? '']));
  }
}
