import { LineIndex } from '@svc/protocol/text';
import type { TestOutcome, TestProblem } from '../../shared/tests.ts';
import { debugOf } from '../debug/session/session.ts';
import { partOfStudio, type Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { afterEdits, apartFrom, whyNotAccepted } from './acceptance.ts';
import { TestCatalog, type WrittenTest } from './catalog.ts';
import { coverageOf } from './coverage.ts';
import { type TestState, testOf, untested } from './results.ts';

export type Activity = 'none' | 'run' | 'debug';

/** The tests of the project, what they gave last, and the runs of them. */
export class TestRuns {
  readonly catalog: TestCatalog;
  readonly states = new Store<ReadonlyMap<string, TestState>>(new Map());
  readonly activity = new Store<Activity>('none');
  /** The test whose result is shown. */
  readonly selected = new Store<string | undefined>(undefined);
  /** Whether files are saved for a run that begins with it. */
  isSaving = false;
  readonly #studio: Studio;
  /** Lines of the tests of the run that is under way. */
  #lines: ReadonlyMap<string, number> = new Map();
  /** Where the test that is debugged lets itself be debugged. */
  #debugged: string | undefined;

  constructor(studio: Studio) {
    this.#studio = studio;
    this.catalog = new TestCatalog(studio.language);
    const { bridge, project } = studio;
    bridge.on('tests.results', ({ results }) => void this.#take(results));
    bridge.on('tests.debugEnded', ({ address }) => this.#debugEnded(address));
    project.onFolder(() => {
      this.states.set(new Map());
      this.selected.set(undefined);
      coverageOf(studio).last.set(undefined);
    });
  }

  stateOf(id: string): TestState {
    return this.states.value.get(id) ?? untested;
  }

  testOf(id: string | undefined): WrittenTest | undefined {
    return this.catalog.tests.value.find((each) => each.id === id);
  }

  get failed(): readonly WrittenTest[] {
    return this.catalog.tests.value.filter(({ id }) => this.stateOf(id).outcome?.passed === false);
  }

  /** Saves everything, then runs these tests, or all. Nothing of a folder runs before the person trusts it. */
  async run(wanted?: readonly WrittenTest[]): Promise<void> {
    if (this.activity.value === 'run' || !(await this.#isTrusted())) return;
    const ids = await this.#saved(wanted);
    const tests = this.catalog.tests.value.filter(({ id }) => ids === undefined || ids.has(id));
    await this.runStored(tests, ids === undefined ? undefined : tests.map(this.#placeOf));
  }

  /** Runs what is on disk; `at` as `tests.run` takes it. */
  async runStored(tests: readonly WrittenTest[], at: readonly string[] | undefined): Promise<void> {
    if (this.activity.value === 'run') return;
    const { bridge, announce } = this.#studio;
    const coverage = coverageOf(this.#studio);
    this.activity.set('run');
    this.#mark(tests, true);
    try {
      const withCoverage = coverage.isShown.value;
      const ended = await bridge.call('tests.run', { ...(at && { at }), coverage: withCoverage });
      if (withCoverage) coverage.last.set(ended.coverage);
      const passed = ended.total - ended.failed;
      announce(ended.failed === 0 ? `${passed} tests passed.` : `${ended.failed} of ${ended.total} tests failed.`);
    } finally {
      this.activity.set('none');
      this.#mark(tests, false);
    }
  }

  /** Ends what runs. */
  async stop(): Promise<void> {
    await this.#studio.bridge.call('tests.stop', {});
  }

  /** Runs one test with the debugger attached to it, in place of the service that it may be attached to. */
  async debug(test: WrittenTest): Promise<void> {
    if (this.activity.value !== 'none' || !(await this.#isTrusted())) return;
    const session = debugOf(this.#studio);
    if (session.isAttached) {
      const leave = 'Debug the test';
      const detail =
        'The debugger leaves the running service, which lets its threads run and opens its gates. F5 attaches to it again.';
      const answer = await this.#studio.notices.ask(`Debug "${test.name}"?`, [leave, 'Cancel'], detail);
      if (answer !== leave) return;
    }
    const ids = await this.#saved([test]);
    const saved = this.catalog.tests.value.find(({ id }) => ids?.has(id));
    if (saved === undefined) throw new Error(`there is no test "${test.name}" any more`);
    this.activity.set('debug');
    this.#mark([saved], true);
    try {
      const { address } = await this.#studio.bridge.call('tests.debug', { at: this.#placeOf(saved) });
      this.#debugged = address;
      await session.attach(address);
    } catch (error) {
      await this.stop().catch(() => undefined);
      this.#over();
      throw error;
    }
  }

  /** Writes what came in place of what was expected: one step of undo. Rejects with why that is not possible. */
  async accept(test: WrittenTest, problems: readonly TestProblem[]): Promise<void> {
    const { project, announce } = this.#studio;
    const { outcome, tested } = this.stateOf(test.id);
    if (outcome === undefined) return;
    const wanted = problems.flatMap((problem) => problem.accept ?? []);
    const document = await project.open(test.file);
    const refused = wanted.map((each) => whyNotAccepted(each, tested, document.text)).find((why) => why !== undefined);
    if (refused !== undefined) throw new Error(refused);
    const edits = apartFrom(wanted.flatMap((each) => each.edits));
    if (edits.length === 0) return;
    document.apply(edits);
    const { text } = document;
    // Others of this file are where they were, a little further.
    const states = new Map(this.states.value);
    for (const [id, state] of states)
      if (state.outcome?.at.file === test.file && state.tested === tested)
        states.set(id, { ...state, tested: text, outcome: afterEdits(state.outcome, problems, edits) });
    this.states.set(states);
    announce(`${test.file} expects what came. It is not saved.`);
  }

  /** Saves everything, since what is stored runs; the ids of what was wanted. Rejects when a text cannot be saved. */
  async #saved(wanted: readonly WrittenTest[] | undefined): Promise<ReadonlySet<string> | undefined> {
    const { project } = this.#studio;
    this.isSaving = true;
    await project.saveAll().finally(() => {
      this.isSaving = false;
    });
    const [unsaved] = project.dirty.value;
    if (unsaved !== undefined) throw new Error(`${unsaved} is not saved: what is stored would be tested`);
    await this.prepare();
    return wanted && new Set(wanted.map(({ id }) => id));
  }

  /** Asks where the tests are, so that results find them. */
  async prepare(): Promise<readonly WrittenTest[]> {
    const tests = await this.catalog.refresh();
    const files = [...new Set(tests.map(({ file }) => file))];
    const { language } = this.#studio;
    const texts = await Promise.all(
      files.map(async (file) => [file, (await language.ask('text', [file])) ?? ''] as const),
    );
    const indexes = new Map(texts.map(([file, text]) => [file, new LineIndex(text)]));
    this.#lines = new Map(tests.map(({ id, file, start }) => [id, indexes.get(file)?.position(start).line ?? 1]));
    return tests;
  }

  #placeOf = ({ id, file }: WrittenTest): string => `${file}:${this.#lines.get(id) ?? 1}`;

  async #take(results: readonly TestOutcome[]): Promise<void> {
    const files = new Set(results.filter(({ passed }) => !passed).map(({ at }) => at.file));
    const { project, language } = this.#studio;
    const texts = new Map<string, string | undefined>();
    for (const file of files)
      texts.set(file, project.dirty.value.has(file) ? undefined : await language.ask('text', [file]));
    const states = new Map(this.states.value);
    for (const outcome of results) {
      const test = testOf(outcome, this.catalog.tests.value, ({ id }) => this.#lines.get(id) ?? 1);
      if (test !== undefined) states.set(test.id, { isRunning: false, outcome, tested: texts.get(outcome.at.file) });
    }
    this.states.set(states);
  }

  #mark(tests: readonly WrittenTest[], isRunning: boolean): void {
    const states = new Map(this.states.value);
    for (const { id } of tests) states.set(id, { ...this.stateOf(id), isRunning });
    this.states.set(states);
  }

  #debugEnded(address: string): void {
    if (this.#debugged === address) debugOf(this.#studio).detach('over');
    this.#over();
  }

  #over(): void {
    this.#debugged = undefined;
    this.activity.set('none');
    this.#mark(
      this.catalog.tests.value.filter(({ id }) => this.stateOf(id).isRunning),
      false,
    );
  }

  async #isTrusted(): Promise<boolean> {
    const { project, notices, bridge } = this.#studio;
    const info = project.info.value;
    if (info === undefined) return false;
    if (info.trusted) return true;
    const trust = `Trust ${info.name} and run its tests`;
    const detail = `Tests run the flows of ${info.directory} on this machine. Connectors are recorded, unless a test says otherwise.`;
    if ((await notices.ask('Run what is in this folder?', [trust, 'Cancel'], detail)) !== trust) return false;
    project.info.set((await bridge.call('project.trust', {})).project);
    return true;
  }
}

export const testsOf = partOfStudio((studio) => new TestRuns(studio));
