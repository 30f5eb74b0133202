import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { roomTable } from "./rooms.ts";

const root = resolve(import.meta.dirname, "..");

/** Each case is a file of its own in a copy of the workspace's layout, linted with the real configuration. */
interface Case {
  readonly file: string;
  readonly code: string;
}

const refusedOfClock: readonly string[] = [
  "export const it = Date.now();",
  "export const it = Date['now']();",
  "export const { now } = Date;",
  "export const it = new Date();",
  "export const it = Date();",
  "export const it = { clock: Date };",
  "export const it = new globalThis.Date();",
  "export const it = performance.now();",
  "export const it = AbortSignal.timeout(1);",
  "export const it = Math.random();",
  "export const { random } = Math;",
  "export const it = crypto.randomUUID();",
  "export const it = crypto.getRandomValues(new Uint8Array(1));",
  "export const it = process.hrtime.bigint();",
  "export const it = process.uptime();",
  "setTimeout(() => undefined, 1);",
  "setInterval(() => undefined, 1);",
  "setImmediate(() => undefined);",
  "globalThis.setTimeout(() => undefined, 1);",
  "global.setTimeout(() => undefined, 1);",
  'export { setTimeout } from "node:timers";',
  'import { setTimeout as later } from "node:timers/promises";\nexport const it = later(1);',
  'import { setTimeout as later } from "timers";\nexport const it = later;',
  'export const it = import("node:timers/promises");',
  'import { performance as it } from "node:perf_hooks";\nexport { it };',
  'import { hrtime } from "node:process";\nexport const it = hrtime();',
  'import { randomUUID } from "node:crypto";\nexport const it = randomUUID();',
  'import { randomBytes } from "node:crypto";\nexport const it = randomBytes(1);',
  'import * as chance from "node:crypto";\nexport const it = chance.randomUUID();',
  'import chance from "node:crypto";\nexport const it = chance.randomUUID();',
  'export const it = process.getBuiltinModule("node:timers");',
];

const allowedOfClock: readonly string[] = [
  "export const it = (now: number): Date => new Date(now);",
  'export const it = Date.parse("2026-01-01T00:00:00Z");',
  "export const it = (value: unknown): boolean => value instanceof Date;",
  "export const it = Math.max(1, 2);",
  "export const it = AbortSignal.any([]);",
  'import { createHash } from "node:crypto";\nexport const it = createHash("sha256");',
  'export const it = crypto.subtle.digest("SHA-256", new Uint8Array(1));',
  "export const it = (clock: { timer(ms: number): void }): void => clock.timer(1);",
];

const importForms: readonly ((specifier: string) => string)[] = [
  (specifier) => `import { it } from "${specifier}";\nexport const value: unknown = it;`,
  (specifier) => `import type { It } from "${specifier}";\nexport type Value = It;`,
  (specifier) => `export { it } from "${specifier}";`,
  (specifier) => `export * from "${specifier}";`,
  (specifier) => `export const it: Promise<unknown> = import("${specifier}");`,
];

const packages = roomTable.map(([room]) => room.split("/")[1] ?? "");

const places = ["packages/client/src", "packages/machinery/src", "cli/src", "operators/redis/src"];
const clockRefused = refusedOfClock.flatMap((code, index) =>
  places.map((place) => ({ place, code, file: `${place}/clock-refused-${index}.ts` })),
);
const clockInTest = { code: "export const it = Date.now();", file: "packages/client/src/clock.test.ts" };
const clockAllowed = allowedOfClock.map((code, index) => ({
  code,
  file: `packages/client/src/clock-allowed-${index}.ts`,
}));
const ambient = {
  code: "export const it = [Date.now(), new Date()];",
  file: "packages/machinery/src/ambient.ts",
};

const pairs = roomTable.flatMap(([room, allowed]) =>
  packages
    .filter((name) => !room.endsWith(`/${name}`))
    .map((name) => ({
      room,
      name,
      allowed: allowed.includes(name),
      code: `export * from "@kedge/${name}";`,
      file: `${room}/src/imports-${name}.ts`,
    })),
);
const forms = importForms.map((form, index) => ({
  code: form("@kedge/runtime"),
  file: `packages/client/src/form-${index}.ts`,
}));
const otherRefused: readonly Case[] = [
  { code: 'export * from "../../machinery/src/clock.ts";', file: "packages/client/src/reaching.ts" },
  { code: 'export * from "@kedge/machinery/src/clock.ts";', file: "packages/client/src/deep.ts" },
  { code: 'export * from "node:fs";', file: "packages/machinery/src/io.ts" },
  { code: 'export * from "yaml";', file: "packages/machinery/src/dependency.ts" },
  { code: 'export * from "@kedge/machinery";', file: "packages/not-in-the-table/src/it.ts" },
];
const otherAllowed: readonly Case[] = [
  { code: 'export * from "@kedge/testkit";', file: "operators/redis/src/it.test.ts" },
  { code: 'export * from "@kedge/testkit";', file: "cli/src/testkit.ts" },
  { code: 'export * from "./reaching.ts";', file: "packages/client/src/own.ts" },
  { code: 'export * from "node:fs";', file: "packages/machinery/tools/generate.ts" },
  { code: 'export * from "@kedge/machinery/kinds";', file: "packages/client/src/kinds.ts" },
];

const work = "declare function work(): Promise<void>;\ndeclare function other(): Promise<void>;\n";
const refusedPromises: readonly string[] = [
  "export function it(): void { void work(); }",
  "export function it(): void { work(); }",
  'import { once, EventEmitter } from "node:events";\nexport const it = new EventEmitter().on("data", async () => { await once(it, "end"); });',
  "export async function it(): Promise<void> { const held = work(); await other(); await held; }",
  "export async function it(): Promise<void> { const held = Promise.all([work()]); await other(); await held.catch(() => undefined); }",
  "export async function it(all: AsyncIterable<number>): Promise<void> { const held = work(); for await (const _one of all) continue; await held; }",
].map((code) => `${work}${code}`);
const allowedPromises: readonly string[] = [
  "export async function it(): Promise<void> { await work(); }",
  "export function it(): void { work().catch(() => undefined); }",
  "export async function it(): Promise<void> { const held = work(); held.catch(() => undefined); await other(); await held; }",
  "export async function it(): Promise<void> { const held = work(); await Promise.all([held, other()]); }",
  "export async function it(): Promise<void> { const held = work(); await held; await other(); }",
].map((code) => `${work}${code}`);
const inSource = (code: string, index: number, kind: string): Case => ({
  code,
  file: `cluster/node/src/promise-${kind}-${index}.ts`,
});
const promisesRefused = refusedPromises.map((code, index) => inSource(code, index, "refused"));
const promisesAllowed = allowedPromises.map((code, index) => inSource(code, index, "allowed"));

const vitest = 'import { describe, it } from "vitest";\ndeclare const isRoot: boolean;\n';
const inTest = (code: string, index: number, kind: string): Case => ({
  code: `${vitest}${code}`,
  file: `e2e/skips/${kind}-${index}.test.ts`,
});
const skipsRefused = [
  'describe.skipIf(!isRoot)("a", () => undefined);',
  'it.skipIf(!isRoot)("a", () => undefined);',
  'it.runIf(isRoot)("a", () => undefined);',
  'describe.skip("a", () => undefined);',
  'it.skip.each([1])("a", () => undefined);',
  'it("a", { skip: !isRoot }, () => undefined);',
  'it.each([1])("a", { skip: true }, () => undefined);',
  'it("a", ({ skip }) => { if (!isRoot) skip(); });',
  'it("a", (context) => { context.skip(); });',
].map((code, index) => inTest(code, index, "refused"));
const skipsAllowed = [
  'it("a", ({ skip }) => { if (!isRoot) skip("needs root"); });',
  'it("a", (context) => { context.skip("needs root"); });',
  'declare const needs: (why: string) => object;\ndescribe("a", needs("root"), () => undefined);',
].map((code, index) => inTest(code, index, "allowed"));

const found = lint([
  ...skipsRefused,
  ...skipsAllowed,
  ...promisesRefused,
  ...promisesAllowed,
  ...clockRefused,
  clockInTest,
  ...clockAllowed,
  ambient,
  ...pairs,
  ...forms,
  ...otherRefused,
  ...otherAllowed,
]);

describe("the clock rule", () => {
  it.each([...clockRefused, clockInTest])("refuses $code in $file", ({ file }) => {
    expect(found(file)).toContainEqual(expect.stringMatching(clockRules));
  });
  it.each([...clockAllowed, ambient])("allows $code in $file", ({ file }) => {
    expect(found(file)).not.toContainEqual(expect.stringMatching(clockRules));
  });
});

describe("a promise that may fail while nobody listens", () => {
  it.each(promisesRefused)("is refused: $code", ({ file }) => {
    expect(found(file)).toContainEqual(expect.stringMatching(promiseRules));
  });
  it.each(promisesAllowed)("is not this: $code", ({ file }) => {
    expect(found(file)).not.toContainEqual(expect.stringMatching(promiseRules));
  });
});

describe("a test that is skipped", () => {
  it.each(skipsRefused)("says why, unlike $code", ({ file }) => {
    expect(found(file)).toContain(skipRule);
  });
  it.each(skipsAllowed)("says why, as in $code", ({ file }) => {
    expect(found(file)).not.toContain(skipRule);
  });
});

describe("the import directions", () => {
  it.each(pairs.filter(({ allowed }) => !allowed))("$room may not import $name", ({ file }) => {
    expect(found(file)).toContain(directionRule);
  });
  it.each(pairs.filter(({ allowed }) => allowed))("$room may import $name", ({ file }) => {
    expect(found(file)).not.toContain(directionRule);
  });
  it.each([...forms, ...otherRefused])("refuses $code in $file", ({ file }) => {
    expect(found(file)).toContain(directionRule);
  });
  it.each(otherAllowed)("allows $code in $file", ({ file }) => {
    expect(found(file)).not.toContain(directionRule);
  });
});

const clockRules = /no-restricted-(?:globals|properties|imports)|kedge\(ambient-object\)/u;
const promiseRules = /no-floating-promises|no-misused-promises|kedge\(held-promise\)/u;
const skipRule = "kedge(skip-reason)";
const directionRule = "kedge(import-direction)";

/** Lints all cases in one run, before the tests. Gives the rules that refused a file. */
function lint(cases: readonly Case[]): (file: string) => readonly string[] {
  const rulesOf = new Map<string, string[]>();
  let folder: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "kedge-lint-")));
    for (const part of ["oxlint.config.ts", "lint", "tsconfig.base.json", "package.json"]) {
      await cp(join(root, part), join(folder, part), { recursive: true });
    }
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    for (const { file, code } of cases) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), `${code}\n`);
      rulesOf.set(file, []);
    }
    for (const { filename, code } of await diagnosticsIn(folder)) rulesOf.get(filename)?.push(code);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
  return (file) => {
    const rules = rulesOf.get(file);
    if (rules === undefined) throw new Error(`${file} was not linted`);
    return rules;
  };
}

interface Diagnostic {
  readonly filename: string;
  readonly code: string;
}

function diagnosticsIn(folder: string): Promise<readonly Diagnostic[]> {
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  return new Promise((done, fail) => {
    // It exits with 1 because it finds something: what it found is the answer.
    execFile(
      process.execPath,
      [oxlint, "--format=json"],
      { cwd: folder, maxBuffer: 2 ** 28 },
      (_error, stdout, stderr) => {
        try {
          const report: unknown = JSON.parse(stdout);
          if (!isReport(report)) throw new Error(`unexpected answer of oxlint: ${stdout}`);
          done(report.diagnostics);
        } catch (cause) {
          fail(new Error(`oxlint did not run: ${stderr}`, { cause }));
        }
      },
    );
  });
}

function isReport(value: unknown): value is { readonly diagnostics: readonly Diagnostic[] } {
  return typeof value === "object" && value !== null && "diagnostics" in value;
}
