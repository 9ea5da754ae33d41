import type { ModuleEntry } from '@svc/protocol/wire';
import { groupedDigits } from '../values/values.ts';
import { limitsText, servedText } from './plugins.ts';

interface ModuleListProps {
  readonly modules: readonly ModuleEntry[];
  /** Opens the declaration of one; absent where they are those of a plugin. */
  readonly onOpen?: ((module: ModuleEntry) => void) | undefined;
}

/** Modules with what they are used as, and what they have done. */
export function ModuleList({ modules, onOpen }: ModuleListProps) {
  return (
    <ul className="modules">
      {modules.map((module) => (
        <li key={`${module.name} ${module.kind} ${module.serves.join()}`} aria-label={servedText(module)}>
          <ModuleName module={module} onOpen={onOpen} />
          <dl className="numeric">
            <Count term="Calls" value={module.calls} />
            <Count term="Failed" value={module.failed} isBad />
            <Count term="Ended by the limit" value={module.ended} isBad />
            <Count term="Made again" value={module.rebuilt} isBad />
            <div>
              <dt>Instances</dt>
              <dd>
                {module.instances} of {module.limits.instances}
                {module.waiting > 0 && `, ${module.waiting} wait`}
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}

function ModuleName({ module, onOpen }: { readonly module: ModuleEntry } & Pick<ModuleListProps, 'onOpen'>) {
  const file = module.path.slice(module.path.lastIndexOf('/') + 1);
  const about = `${module.path}\n${limitsText(module)}${module.hash === null ? '' : `\nSHA-256 ${module.hash}`}`;
  const title = (
    <>
      <b className="ellipsis">{servedText(module)}</b>
      <small className="ellipsis">
        {file}
        {module.hash !== null && <span className="mono"> {module.hash.slice(0, 12)}</span>}
      </small>
    </>
  );
  if (onOpen === undefined)
    return (
      <p className="module-name" title={about}>
        {title}
      </p>
    );
  return (
    <button type="button" className="module-name" title={about} onClick={() => onOpen(module)}>
      {title}
    </button>
  );
}

interface CountProps {
  readonly term: string;
  readonly value: number;
  /** It should be 0, and is hidden while it is. */
  readonly isBad?: boolean;
}

function Count({ term, value, isBad }: CountProps) {
  if (isBad && value === 0) return null;
  return (
    <div className={isBad ? 'bad' : undefined}>
      <dt>{term}</dt>
      <dd>{groupedDigits(value)}</dd>
    </div>
  );
}
