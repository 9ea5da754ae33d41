import { monaco } from '../project/monaco.ts';

export const languageId = 'svc-hcl';

/**
 * What colours a text before the language service has answered, and what it does not colour: comments, brackets, numbers.
 * Words inside texts are coloured by the service's semantic tokens, since it alone knows which texts are expressions.
 */
export function registerLanguage(): void {
  monaco.languages.register({ id: languageId, extensions: ['.hcl'] });
  monaco.languages.setLanguageConfiguration(languageId, {
    comments: { lineComment: '#', blockComment: ['/*', '*/'] },
    brackets: [
      ['{', '}'],
      ['[', ']'],
      ['(', ')'],
    ],
    autoClosingPairs: [
      { open: '{', close: '}' },
      { open: '[', close: ']' },
      { open: '(', close: ')' },
      { open: '"', close: '"', notIn: ['comment'] },
    ],
    surroundingPairs: [
      { open: '{', close: '}' },
      { open: '[', close: ']' },
      { open: '(', close: ')' },
      { open: '"', close: '"' },
    ],
    indentationRules: { increaseIndentPattern: /[{[(]\s*$/, decreaseIndentPattern: /^\s*[}\])]/ },
    wordPattern: /[\w][\w-]*/,
  });
  monaco.languages.setMonarchTokensProvider(languageId, {
    keywords: ['true', 'false', 'null'],
    tokenizer: {
      root: [
        [/(#|\/\/).*$/, 'comment'],
        [/\/\*/, 'comment', '@comment'],
        [/<<-?(\w+)$/, { token: 'string', next: '@heredoc.$1' }],
        [/[\w-]+(?=(?:\s+"[^"]*")*\s*\{)/, 'keyword'],
        [/([\w-]+)(?=\s*=[^=>])/, 'property'],
        [/\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, 'number'],
        [/[\w-]+/, { cases: { '@keywords': 'constant', '@default': 'variable' } }],
        [/"/, 'string', '@string'],
        [/[{}()[\]]/, 'delimiter'],
        [/[=,.?:+\-*/%<>!&|]/, 'operator'],
      ],
      comment: [
        [/[^*]+/, 'comment'],
        [/\*\//, 'comment', '@pop'],
        [/./, 'comment'],
      ],
      string: [
        [/[^"\\]+/, 'string'],
        [/\\./, 'string'],
        [/"/, 'string', '@pop'],
        [/$/, 'string', '@pop'],
      ],
      heredoc: [
        [/^\s*(\w+)$/, { cases: { '$1==$S2': { token: 'string', next: '@pop' }, '@default': 'string' } }],
        [/.+/, 'string'],
      ],
    },
  });
}
