/** What a call does: answer the document, or keep it as a file. */
export type PdfOperation = 'generate' | 'save';

export const pdfOperations = ['generate', 'save'] as const satisfies readonly PdfOperation[];

/** Words of databases, which flows of other connectors write: a document is made of what they bring. */
const synonyms = new Set(
  'select read find get query insert create update upsert replace delete write send render'.split(' '),
);

/** What a word means in any case; undefined when it means nothing here. */
export function pdfOperation(word: string | undefined): PdfOperation | undefined {
  const name = word?.trim().toLowerCase() || 'generate';
  return pdfOperations.find((each) => each === name) ?? (synonyms.has(name) ? 'generate' : undefined);
}
