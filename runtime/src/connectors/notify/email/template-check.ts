import type { FileCheck, PublishedProblem } from '../../../foundation/contracts/published.ts';
import { TemplateProblem } from '../../../platform/templates/syntax/problem.ts';
import { templateOf } from '../../../platform/templates/template.ts';
import { mailDialect } from './dialect.ts';

/** The template that a connector names exists and is well-formed. */
export const checkTemplate: FileCheck = ({ connector, config }, read) => {
  const path = config['template'];
  if (typeof path !== 'string' || path === '') return [];
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    const message = `connector "${connector}" names the template "${path}", which cannot be read: ${(error as Error).message}`;
    return [
      {
        code: 'missing-template',
        message,
        at: { of: 'connector', path: ['template'] },
        help: 'Write the path of an HTML file, relative to the configuration.',
      },
    ];
  }
  try {
    templateOf(path, text, mailDialect);
    return [];
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    return [problemOf(path, text, error)];
  }
};

function problemOf(path: string, text: string, { line, message }: TemplateProblem): PublishedProblem {
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).reduce((offset, each) => offset + each.length + 1, 0);
  const end = Math.min(text.length, start + (lines[line - 1]?.trimEnd().length ?? 0));
  return {
    code: 'malformed-template',
    message: `the template is malformed: ${message}`,
    at: { of: 'file', path, start, end },
  };
}
