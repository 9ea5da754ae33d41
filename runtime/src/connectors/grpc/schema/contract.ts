import { Failure } from '../../../foundation/errors/failure.ts';
import type { ReadSchema } from '../../../platform/formats/protobuf/schema/read.ts';

/** A string or a comment, which stay as they are, or a statement of the head of a file. */
const headed =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|^[ \t]*(?:(syntax)\s*=\s*["'][^"']*["']|(package)\s+[\w.]+|(import)\s+(?:public\s+|weak\s+)?["']([^"']*)["'])\s*;[ \t]*\n?/gm;

/**
 * The definitions of a server as one file, with the comments of their authors: what its files say, without what they import
 * of each other. Throws a Failure where they cannot be one file: of two packages, or of two languages.
 */
export function contractOf({ files, texts }: Pick<ReadSchema, 'files' | 'texts'>): string {
  const own = [...files.values()].filter(({ package: name }) => name !== 'google.protobuf');
  const [first] = own;
  if (texts.size === 1 || first === undefined) return ended([...texts.values()].join(''));
  const other = own.find((file) => file.package !== first.package || file.syntax !== first.syntax);
  if (other !== undefined) {
    const differs = other.package === first.package ? 'syntax' : 'package';
    throw new Failure(
      'connector_refused',
      `the definitions are several files, and cannot be one: "${first.name}" and "${other.name}" differ in their ${differs}. Give callers the files of proto_path`,
      { retriable: false },
    );
  }
  const names = new Set(own.map(({ name }) => name));
  const imports = new Set<string>();
  const bodies = [...texts.values()].map((text) =>
    text
      .replace(headed, (found, syntax, named, imported, path) => {
        if (imported !== undefined && !names.has(path)) imports.add(path);
        return (syntax ?? named ?? imported) ? '' : found;
      })
      .trim(),
  );
  const head = [
    `syntax = "${first.syntax}";`,
    ...(first.package === '' ? [] : [`package ${first.package};`]),
    ...[...imports].sort().map((path) => `import "${path}";`),
  ];
  return ended([...head, ...bodies.filter((body) => body !== '')].join('\n\n'));
}

function ended(text: string): string {
  return `${text.trimEnd()}\n`;
}
