import type { Frame } from '../../message/frame.ts';
import type { FlowModel } from '../../model.ts';
import { skipped } from '../destination/answer.ts';
import type { Claim } from './claim.ts';
import { whole } from './comparison.ts';

/** Returns which facets that a message has changed are written now. */
export interface WrittenFacets {
  afterSuccess(frame: Frame, claim: Claim): readonly string[];
  afterFailure(frame: Frame, claim: Claim): readonly string[];
}

/**
 * A facet is written when every destination that names it has succeeded and at least one has written, whatever the
 * outcome of the others; without facets, every destination counts.
 */
export function writtenFacets({ destinations }: FlowModel): WrittenFacets {
  if (destinations.length === 1)
    return {
      afterSuccess: ({ answer }, { changed }) => (answer === skipped ? [] : [...changed.keys()]),
      afterFailure: () => [],
    };
  const labelsOf = (facet: string) =>
    destinations.filter(({ values }) => facet === whole || values.facet === facet).map(({ label }) => label);
  const written = ({ delivered = new Map() }: Frame, { changed }: Claim) =>
    [...changed.keys()].filter((facet) => {
      const labels = labelsOf(facet);
      return labels.every((label) => delivered.has(label)) && labels.some((label) => delivered.get(label) !== skipped);
    });
  return { afterSuccess: written, afterFailure: written };
}
