import { stringify } from 'yaml';

/** A document as YAML: no line is folded, and nothing is written as a reference to something above it. */
export function toYaml(document: object): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
