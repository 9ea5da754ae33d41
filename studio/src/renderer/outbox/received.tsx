import type { OutboxMessage } from '@svc/protocol/wire';
import { Icon } from '../theme/icon.tsx';

/** A message as its receiver sees it. */
export function Received({ message }: { readonly message: Pick<OutboxMessage, 'shown' | 'connector' | 'medium'> }) {
  const { shown, connector, medium } = message;
  if (shown.html !== undefined) return <RenderedHtml html={shown.html} />;
  if (medium === 'mail' || medium === 'request') return <pre className="mono outbox-text">{shown.text}</pre>;
  return (
    <div className={`received ${medium}`}>
      {medium !== 'text' && (
        <span className="received-sender">
          <Icon name="bell" />
          <b>{shown.from ?? connector}</b>
        </span>
      )}
      {shown.title !== undefined && <strong>{shown.title}</strong>}
      <p>{shown.text}</p>
    </div>
  );
}

/**
 * The body of a mail in a frame that may do nothing: no script runs, no form is sent, and nothing is loaded, since the policy of the page
 * holds inside.
 */
function RenderedHtml({ html }: { readonly html: string }) {
  return <iframe className="received-html" title="Body of the mail" sandbox="" srcDoc={html} />;
}
