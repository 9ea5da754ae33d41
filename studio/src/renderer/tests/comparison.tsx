/** Two values side by side; what differs in them is marked. */
export function Comparison({ expected, actual }: { readonly expected: string; readonly actual: string }) {
  const { before, after } = sharedEnds(expected, actual);
  return (
    <dl className="comparison">
      <Side title="Expected" text={expected} {...{ before, after }} />
      <Side title="Actual" text={actual} {...{ before, after }} />
    </dl>
  );
}

interface SideProps {
  readonly title: string;
  readonly text: string;
  readonly before: number;
  readonly after: number;
}

function Side({ title, text, before, after }: SideProps) {
  const end = text.length - after;
  return (
    <div className={title === 'Expected' ? 'side expected' : 'side actual'}>
      <dt>{title}</dt>
      <dd className="mono">
        {text.slice(0, before)}
        {end > before && <mark>{text.slice(before, end)}</mark>}
        {text.slice(end)}
      </dd>
    </div>
  );
}

/** Characters that two texts have in common at their beginning and at their end. */
export function sharedEnds(one: string, other: string): { readonly before: number; readonly after: number } {
  const most = Math.min(one.length, other.length);
  let before = 0;
  while (before < most && one[before] === other[before]) before++;
  let after = 0;
  while (after < most - before && one.at(-1 - after) === other.at(-1 - after)) after++;
  return { before, after };
}
