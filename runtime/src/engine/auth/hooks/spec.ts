import { block, cel, oneOf, reference } from '@svc/protocol/schema';

const hook = (doc: string, fields: string) =>
  block({
    doc: `${doc} Its flow reads \`input.auth\`: ${fields}.`,
    attributes: {
      flow: reference('The flow that runs.', 'flow', { required: true }),
      condition: cel(
        'Runs the flow only where it holds; a condition that fails is logged, and the flow does not run.',
        {
          reads: [],
          gives: 'bool',
        },
      ),
      on_error: oneOf(
        '`fail` refuses the request when the flow fails (events that begin with `before_` alone).',
        ['ignore', 'fail'],
        { default: 'ignore' },
      ),
    },
  });

const client = '`ip`, `user_agent`';

/** Events at which a flow of the service may run. */
export const hooks = block({
  doc: 'Flows that run when something happens to an account.',
  blocks: {
    before_login: hook('Before a sign-in is looked at.', `\`email\`, ${client}`),
    after_login: hook('After a sign-in.', `\`user_id\`, \`email\`, ${client}`),
    after_register: hook('After an account was made.', '`user_id`, `email`'),
    on_failed_login: hook('After a sign-in was refused.', `\`email\`, ${client}, \`reason\`, \`code\``),
    on_suspicious_activity: hook(
      'After something that the account should hear of.',
      `\`reason\` (\`new_device\`, \`impossible_travel\`, \`token_reused\`), \`action\`, \`user_id\`, \`email\`, ${client}`,
    ),
    on_password_reset: hook(
      'Hands over the token that resets a password, to be sent to the account.',
      `\`reset_token\`, \`reset_url\`, \`expires_at\`, \`user_id\`, \`email\`, ${client}`,
    ),
    before_password_change: hook('Before a password is changed.', '`user_id`, `email`'),
    after_password_change: hook('After a password was changed.', '`user_id`, `email`, `reset`'),
  },
  example: 'hooks {\n  on_password_reset {\n    flow = flow.send_reset_link\n  }\n}',
});
