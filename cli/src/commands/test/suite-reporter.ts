import { relative, sep } from "node:path";
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from "vitest/node";
import type { Terminal } from "../../terminal/terminal.ts";
import { addCounts, type Annotation } from "./counts.ts";
import { suiteLine } from "./suite-line.ts";
import { sum, type SkippedTest, type Tally } from "./tally.ts";

interface SuiteReporterOptions {
  readonly root: string;
  readonly terminal: Terminal;
}

/** Files of one package, or of one folder of e2e/, that are reported together. */
interface Group {
  /** Files that are not finished yet. */
  waiting: number;
  /** What its files took, one by one: several run at once, so this can be more than the time passed. */
  ms: number;
  readonly tallies: Tally[];
  readonly annotations: Annotation[];
}

type Problems = Parameters<NonNullable<Reporter["onTestRunEnd"]>>[1];

/** Counts what vitest runs, prints a line for each suite when it is finished, and every failure when it happens. */
export class SuiteReporter implements Reporter {
  readonly #options: SuiteReporterOptions;
  readonly #groups = new Map<string, Group>();
  /** What failed after the last file, of which nobody can say whose it is. */
  #strays: readonly string[] = [];
  #vitest: Vitest | undefined;

  constructor(options: SuiteReporterOptions) {
    this.#options = options;
  }

  /** All that was counted so far. */
  tally(): Tally {
    const tallies = [...this.#groups.values()].flatMap((group) => group.tallies);
    return sum([...tallies, failureOf(this.#strays)]);
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly { readonly moduleId: string }[]): void {
    for (const { moduleId } of specifications) {
      const group = this.#group(moduleId) ?? { waiting: 0, ms: 0, tallies: [], annotations: [] };
      group.waiting += 1;
      this.#groups.set(suiteOf(relative(this.#options.root, moduleId)), group);
    }
    this.#showProgress();
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state !== "failed") return;
    const logs = test.logs().map(({ content }) => content);
    this.#fail(`${this.#path(test.module)} > ${test.fullName}`, result.errors, logs);
  }

  onTestSuiteResult(suite: TestSuite): void {
    this.#failOutsideTests(`${this.#path(suite.module)} > ${suite.fullName}`, suite);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#failOutsideTests(this.#path(module), module);
    const group = this.#group(module.moduleId);
    if (group === undefined) return;
    group.tallies.push(tallyOf(module, this.#path(module)));
    group.annotations.push(...[...module.children.allTests()].flatMap((test) => test.annotations()));
    group.ms += timeOf(module);
    group.waiting -= 1;
    if (group.waiting === 0) this.#finish(suiteOf(this.#path(module)), group);
    this.#showProgress();
  }

  onTestRunEnd(_modules: readonly TestModule[], problems: Problems): void {
    this.#options.terminal.clear();
    if (problems.length === 0) return;
    this.#strays = problems.map((problem) => `outside of any test: ${problem.message}`);
    this.#fail("outside of any test", problems, []);
  }

  /** Hooks and imports that fail are no tests, but they must not be lost. */
  #failOutsideTests(name: string, owner: TestSuite | TestModule): void {
    const problems = owner.errors();
    if (problems.length === 0) return;
    const { moduleId } = owner.type === "module" ? owner : owner.module;
    this.#group(moduleId)?.tallies.push(failureOf([name]));
    this.#fail(
      name,
      problems,
      owner.logs().map(({ content }) => content),
    );
  }

  #fail(name: string, problems: readonly unknown[], logs: readonly string[]): void {
    const { terminal } = this.#options;
    terminal.print(`\n${terminal.style("red", `FAIL ${name}`)}\n${logs.join("")}`);
    for (const problem of problems) this.#vitest?.logger.printError(problem, { showCodeFrame: true });
  }

  #finish(name: string, group: Group): void {
    const { terminal } = this.#options;
    const tally = sum(group.tallies);
    const count = tally.passed + tally.failed.length + tally.skipped.length;
    const detail = `${count} ${count === 1 ? "test" : "tests"}`;
    terminal.print(
      suiteLine({ name, detail, tally, ms: group.ms, counts: addCounts(group.annotations) }, terminal),
    );
  }

  #showProgress(): void {
    const open = [...this.#groups].filter(([, group]) => group.waiting > 0);
    const files = open.reduce((total, [, group]) => total + group.waiting, 0);
    if (files === 0) return;
    const names = open.map(([name]) => name).join(", ");
    this.#options.terminal.waitFor(`${files} ${files === 1 ? "file" : "files"} to go: ${names}`);
  }

  #group(moduleId: string): Group | undefined {
    return this.#groups.get(suiteOf(relative(this.#options.root, moduleId)));
  }

  #path(module: TestModule): string {
    return relative(this.#options.root, module.moduleId);
  }
}

/** The suite that a test file belongs to: its package, or its folder of e2e/. */
export function suiteOf(path: string): string {
  const parts = path.split(sep);
  return parts[0] === "cli" || parts[0] === "lint" ? parts[0] : parts.slice(0, 2).join("/");
}

function timeOf(module: TestModule): number {
  const { setupDuration, collectDuration, duration } = module.diagnostic();
  return setupDuration + collectDuration + duration;
}

function failureOf(failed: readonly string[]): Tally {
  return { passed: 0, failed, skipped: [] };
}

function tallyOf(module: TestModule, path: string): Tally {
  const skipped: SkippedTest[] = [];
  const failed: string[] = [];
  let passed = 0;
  for (const test of module.children.allTests()) {
    const result = test.result();
    if (result.state === "passed") passed += 1;
    else if (result.state === "skipped") {
      skipped.push({ name: `${path} > ${test.fullName}`, reason: result.note ?? reasonOf(test) });
    } else failed.push(`${path} > ${test.fullName}`);
  }
  return { passed, failed, skipped };
}

/** Why a test was skipped that has not said so itself: what it is in may have (`needs` of e2e/testing). */
export function reasonOf(test: {
  readonly parent: Owner;
  readonly options: { readonly mode?: unknown };
}): string {
  for (let owner: Owner | undefined = test.parent; owner !== undefined; owner = owner.parent) {
    if (owner.errors().length > 0) return "what prepares it failed";
    const reason: unknown = new Map(Object.entries(owner.meta())).get("skipped");
    if (typeof reason === "string") return reason;
  }
  return test.options.mode === "todo" ? "not written yet" : "no reason given; say it with skip(reason)";
}

/** A suite or a file, as far as it matters here. */
interface Owner {
  readonly parent?: Owner;
  errors(): readonly unknown[];
  meta(): object;
}
