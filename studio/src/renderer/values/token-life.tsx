import type { DecodedToken } from '../../shared/token.ts';
import { useNow } from '../state/use-now.ts';
import { Icon } from '../theme/icon.tsx';
import { lifeOf, shownMoment, tokenIn } from './tokens.ts';

/** How long a token can still be used, counted each second. */
export function TokenLife({ token }: { readonly token: Pick<DecodedToken, 'header' | 'claims'> }) {
  const now = useNow(true);
  const life = lifeOf(token, now);
  const isOver = life.startsWith('ended');
  return (
    <span className={isOver ? 'token-life warning ink' : 'token-life'}>
      <Icon name={isOver ? 'warning' : 'hourglass'} />
      token, {life}
    </span>
  );
}

/** How long a value can still be used, where it is a token. */
export function TokenMark({ value }: { readonly value: unknown }) {
  const token = tokenIn(value);
  return token && <TokenLife token={token} />;
}

/** The moment of a claim with how far it is; the number itself is its tooltip. */
export function Moment({ at }: { readonly at: number }) {
  const now = useNow(true);
  return (
    <span className="value number-value" title={String(at / 1000)}>
      {shownMoment(at, now)}
    </span>
  );
}
