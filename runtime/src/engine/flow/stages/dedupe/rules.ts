import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import type { FlowRule } from '../../every-flow.ts';
import { dedupe } from './spec.ts';

/** Checks that facets and destinations refer to each other, and that something is compared. */
export const checkDedupe: FlowRule = ({ name, values }, _connectors, report) => {
  const { dedupe: block, to } = values;
  const facets = block?.facet ?? [];
  const known = facets.map(({ label }) => label);
  for (const one of to) {
    const { facet } = one;
    if (facet === undefined || known.includes(facet)) continue;
    const near = closest(facet, known);
    report('unknown-facet', `flow "${name}" has no facet "${facet}"`, originOf(one, 'facet'), {
      help:
        near === undefined ? `Write facet "${facet}" { fingerprint { … } } into dedupe.` : `Did you mean "${near}"?`,
    });
  }
  for (const facet of facets) {
    if (!to.some((one) => one.facet === facet.label))
      report('facet-without-destination', `no destination belongs to the facet "${facet.label}"`, originOf(facet), {
        help: `Write facet = "${facet.label}" into a to block, or remove the facet.`,
      });
    if (facet.label === '')
      report('missing-label', 'a facet needs a name', originOf(facet), { help: 'Write facet "price" { … }.' });
  }
  for (const { fingerprint } of [...(block ? [block] : []), ...facets])
    if (fingerprint?.fields.length === 0)
      report('empty-fingerprint', 'a fingerprint without fields is the same for every message', originOf(fingerprint), {
        help: 'List every field that is written and may change.',
      });
};

/** A definition that flows use must contain what is compared. */
export const checkDedupeDefinitions: ProjectRule = (project, report) => {
  for (const { name, values, nameOrigin } of project.all('dedupe', dedupe))
    if (values.fingerprint === undefined && values.facet.length === 0)
      report('missing-block', `the definition dedupe "${name}" needs fingerprint or facet`, nameOrigin);
};
