import { originOf } from '@svc/protocol/schema';
import type { FlowRule } from '../../every-flow.ts';
import { findSources } from '../../sources-in.ts';

/** Checks that the result of every `enrich` is read: by itself it has no effect. */
export const checkEnrichments: FlowRule = ({ name, values }, _connectors, report) => {
  const enrichments = [...values.enrich, ...(values.transform?.enrich ?? [])];
  if (enrichments.length === 0) return;
  const read = findSources(values).some(({ source }) => /\benriched\b/.test(source.source));
  if (read) return;
  for (const one of enrichments)
    report('inert-block', `flow "${name}" fetches enrich "${one.label}" and reads it nowhere`, originOf(one), {
      severity: 'warning',
      help: `Read enriched.${one.label} in a transform or in the response, or remove the block.`,
    });
};
