import { block, cel, oneOf } from '@svc/protocol/schema';
import { dropPolicies } from '../from/spec.ts';

export const accept = block({
  doc: 'The business gate after the filter: only messages that satisfy `when` continue.',
  reusable: true,
  definitionNeeds: ['when'],
  attributes: {
    when: cel('The message continues when this is true.', {
      required: true,
      reads: ['input'],
      gives: 'bool',
      decides: true,
      waits: true,
    }),
    on_reject: oneOf('What happens to a message that is rejected.', dropPolicies, { default: 'ack' }),
  },
  example: 'accept {\n  when      = "input.total > 0"\n  on_reject = "reject"\n}',
});
