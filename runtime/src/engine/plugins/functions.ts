import type { FunctionDocumentation, FunctionImplementation } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { FunctionModel } from './model.ts';
import { modulesOf } from './modules.ts';

/** How a function is carried out: what it is given, and the value that comes of it. */
export type CallFunction = (model: FunctionModel, args: readonly unknown[]) => Promise<unknown>;

const declared = new WeakMap<Project, readonly FunctionImplementation[]>();
/** Functions that were made, by what they are, so that expressions that call them are not compiled again. */
const kept = new Map<string, FunctionImplementation>();
const mostKept = 1_000;

/** The functions of a project as expressions are checked with them: they cannot be called. */
export function declaredFunctions(project: Project): readonly FunctionImplementation[] {
  let found = declared.get(project);
  if (found === undefined) {
    found = modulesOf(project).functions.map((model) => {
      const key = JSON.stringify([model.name, model.parameters, model.deterministic]);
      let made = kept.get(key);
      if (made === undefined) {
        made = implementation(model, () =>
          Promise.reject(new Error(`${model.name}() is called when the service runs`)),
        );
        kept.set(key, made);
        if (kept.size > mostKept) kept.delete(kept.keys().next().value as string);
      }
      return made;
    });
    declared.set(project, found);
  }
  return found;
}

/** The functions of a project as a service calls them. */
export function boundFunctions(project: Project, call: CallFunction): readonly FunctionImplementation[] {
  return modulesOf(project).functions.map((model) => implementation(model, (args) => call(model, args)));
}

function implementation(
  { name, parameters, deterministic }: FunctionModel,
  invoke: (args: readonly unknown[]) => Promise<unknown>,
): FunctionImplementation {
  const arity = parameters === undefined ? [0, 1, 2, 3, 4, 5] : [parameters.length];
  return { name, arity, pure: deterministic, later: true, invoke: (args) => invoke(args) };
}

/** What editors show of the functions of a project. */
export function functionTexts(project: Project): readonly FunctionDocumentation[] {
  return modulesOf(project).functions.map(({ name, parameters, module, deterministic }) => {
    const written = parameters ?? ['...arguments'];
    const doc = `A function of ${module.title}${deterministic ? ', which gives the same for the same arguments' : ''}.`;
    return {
      name,
      group: 'system',
      signatures: [`${name}(${written.map((each) => `${each}: dyn`).join(', ')}) -> dyn`],
      doc,
      example: `${name}(${(parameters ?? []).join(', ')})`,
    };
  });
}
