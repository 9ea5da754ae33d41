import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import type { TestRuns } from './test-runs.ts';

/** Milliseconds without a change after which what is affected runs. */
const pause = 200;

/** Runs tests again when files are saved, here or elsewhere: those of a file of tests, else all. One run at a time. */
export class TestWatch {
  readonly isOn = new Store(false);
  readonly #studio: Studio;
  readonly #runs: TestRuns;
  readonly #changed = new Set<string>();
  #dirty: ReadonlySet<string> = new Set();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(studio: Studio, runs: TestRuns) {
    this.#studio = studio;
    this.#runs = runs;
    const { project, bridge } = studio;
    bridge.on('files.changed', ({ changes }) => this.#note(changes.map(({ path }) => path)));
    project.dirty.subscribe(() => {
      const saved = [...this.#dirty].filter((path) => !project.dirty.value.has(path));
      this.#dirty = project.dirty.value;
      // What a run saves before it begins is what it runs.
      if (!this.#runs.isSaving) this.#note(saved);
    });
    runs.activity.subscribe(() => this.#changed.size > 0 && this.#wait());
    project.onFolder(() => this.set(false));
  }

  set(isOn: boolean): void {
    this.isOn.set(isOn);
    this.#changed.clear();
    clearTimeout(this.#timer);
  }

  #note(paths: readonly string[]): void {
    const { value: info } = this.#studio.project.info;
    if (!this.isOn.value || info?.trusted !== true) return;
    for (const path of paths) if (!path.startsWith('.svc/')) this.#changed.add(path);
    if (this.#changed.size > 0) this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.#run().catch((error) => this.#studio.notices.failed(error, 'tests')),
      pause,
    );
  }

  async #run(): Promise<void> {
    if (this.#runs.activity.value !== 'none') return;
    const paths = [...this.#changed];
    this.#changed.clear();
    if (paths.length === 0) return;
    const tests = await this.#runs.prepare();
    const files = affectedFiles(paths, new Set(tests.map(({ file }) => file)));
    if (files?.length === 0 || tests.length === 0) return;
    const own = files === undefined ? tests : tests.filter(({ file }) => files.includes(file));
    await this.#runs.runStored(own, files);
  }
}

/** The files whose tests a change concerns; undefined: those of every file, since a flow reads what others declare. */
export function affectedFiles(paths: readonly string[], files: ReadonlySet<string>): readonly string[] | undefined {
  const ofTests = paths.filter((path) => path.startsWith('tests/') && path.endsWith('.hcl'));
  return ofTests.length === paths.length ? ofTests.filter((path) => files.has(path)) : undefined;
}
