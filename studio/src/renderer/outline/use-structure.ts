import type { InlayHint, StructureItem } from '@svc/protocol/language';
import { useEffect, useState } from 'react';
import type { LanguageClient } from '../language/language-client.ts';
import { isConfiguration } from '../project/project.ts';
import { useStudio } from '../shell/studio.ts';

/** What is written in a file. */
export function useStructure(path: string | undefined): readonly StructureItem[] {
  return useAnswer(path, askStructure);
}

/** The types of the fields that a file's expressions build, where they are known. */
export function useTypes(path: string | undefined): readonly InlayHint[] {
  return useAnswer(path, askTypes);
}

const askStructure = (language: LanguageClient, path: string) => language.ask('structure', [path]);

const askTypes = async (language: LanguageClient, path: string) => {
  const hints = await language.ask('inlayHints', [path, { start: 0, end: Number.MAX_SAFE_INTEGER }]);
  return hints.filter(({ kind }) => kind === 'type');
};

const nothing: readonly never[] = [];

/** An answer about a file, asked again after every check. */
function useAnswer<T>(
  path: string | undefined,
  question: (language: LanguageClient, path: string) => Promise<readonly T[]>,
): readonly T[] {
  const { language } = useStudio();
  const [known, setKnown] = useState<{ path: string; answer: readonly T[] }>();
  useEffect(() => {
    if (path === undefined || !isConfiguration(path)) return;
    let isGone = false;
    const ask = async () => {
      const answer = await question(language, path).catch(() => nothing);
      if (!isGone) setKnown({ path, answer });
    };
    void ask();
    const leave = language.checked.subscribe(() => void ask());
    return () => {
      isGone = true;
      leave();
    };
  }, [language, path, question]);
  return known !== undefined && known.path === path ? known.answer : nothing;
}
