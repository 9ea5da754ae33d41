import type { PlacedDiagnostic } from '../../worker/language-requests.ts';
import { fileLooksOf } from '../explorer/file-looks.ts';
import { sentenceOf } from '../language/sentence.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { countsOf, inWords, type ProblemGroup } from './list.ts';

interface FileLineProps {
  readonly group: ProblemGroup;
  readonly isOpen: boolean;
}

export function FileLine({ group: { file, problems }, isOpen }: FileLineProps) {
  const fileLooks = fileLooksOf(useStudio());
  const look = useStore(fileLooks.byContent, () => fileLooks.of(file));
  const at = file.lastIndexOf('/');
  return (
    <>
      <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
      <Icon name={look.name} className={look.className} />
      <span className="name">{file.slice(at + 1)}</span>
      {at > 0 && <span className="faint folder">{file.slice(0, at)}</span>}
      <span className="meta">{inWords(countsOf(problems))}</span>
    </>
  );
}

interface ProblemLineProps {
  readonly problem: PlacedDiagnostic;
  /** What its bulb does; undefined while nothing is known that helps. */
  readonly fix: string | undefined;
  readonly onFix: (x: number, y: number) => void;
}

export function ProblemLine({ problem, fix, onFix }: ProblemLineProps) {
  const { severity, message, help, code, line, column } = problem;
  return (
    <>
      <Icon name={severity} className={severity} label={severity} />
      <span
        className="ellipsis"
        title={[sentenceOf(message), help && sentenceOf(help), code].filter(Boolean).join('\n')}
      >
        {sentenceOf(message)}
        {help !== undefined && <span className="muted"> {sentenceOf(help)}</span>}
      </span>
      {fix === undefined ? (
        <span />
      ) : (
        <button
          type="button"
          className="fix"
          tabIndex={-1}
          aria-label={fix}
          title={fix}
          onClick={(event) => {
            event.stopPropagation();
            onFix(event.clientX, event.clientY);
          }}
          onDoubleClick={(event) => event.stopPropagation()}
        >
          <Icon name="bulb" className="accent ink" />
        </button>
      )}
      <span className="code">{code}</span>
      <span className="at numeric">
        Ln {line}, Col {column}
      </span>
    </>
  );
}
