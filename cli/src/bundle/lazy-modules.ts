import type { Plugin } from "rolldown";

/** Modules of others that most processes never use, though they import something that may: 10 ms and 3 MB, or more. */
const lazy = /^(?:yaml|ws|prom-client|@peculiar\/x509)$/u;

/** What must be there before one of them is loaded. */
const before: Readonly<Record<string, string>> = { "@peculiar/x509": "reflect-metadata/lite" };

/** Marks the modules of this plugin. */
const prefix = "\0lazy:";
const ours = /^\0lazy:/u;

/** Runs the code of a module when something of it is used for the first time, not when it is imported. */
export function lazyModules(): Plugin {
  return {
    name: "kedge-lazy-modules",
    resolveId: {
      filter: { id: lazy },
      handler: (id, importer) =>
        importer === `${prefix}${id}` ? null : { id: `${prefix}${id}`, moduleSideEffects: false },
    },
    load: {
      filter: { id: ours },
      handler: (id) => moduleFor(id.slice(prefix.length)),
    },
  };
}

/** A module that exports functions and classes that stand for the real ones, and the same constants. */
async function moduleFor(name: string): Promise<string> {
  const first = before[name];
  if (first !== undefined) await import(/* @vite-ignore */ first);
  const real: unknown = await import(/* @vite-ignore */ name);
  const all = Object.entries(real ?? {}).filter(([each]) => /^[\w$]+$/u.test(each) && each !== "default");
  const exported = all.filter(([, value]) => typeof value === "function");
  const constants = all.filter(([, value]) => isConstant(value));
  return [
    "let real;",
    `const load = () => (real ??= (${[first, name].filter(isText).map(required).join(", ")}));`,
    `const lazy = ${standIn.toString()};`,
    ...exported.map(([each]) => `export const ${each} = /* @__PURE__ */ lazy(load, "${each}");`),
    ...constants.map(([each, value]) => `export const ${each} = ${JSON.stringify(value)};`),
  ].join("\n");
}

function isText(name: string | undefined): name is string {
  return name !== undefined;
}

function required(name: string): string {
  return `require(${JSON.stringify(name)})`;
}

/** Names with texts or numbers, as enums are: as good in a copy. */
function isConstant(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every((one) => typeof one === "string" || typeof one === "number");
}

type Made = new (...args: unknown[]) => object;

/** Stands for a function or class of a module, whose code runs when this is first called, constructed or looked at. */
export function standIn(load: () => Record<string, unknown>, name: string): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const real = (): Made => load()[name] as Made;
  const stand: object = new Proxy(function stand() {}, {
    apply: (_target, that, args): unknown => Reflect.apply(real(), that, args),
    construct(_target, args, made) {
      const object: unknown = Reflect.construct(real(), args, made === stand ? real() : made);
      if (typeof object !== "object" || object === null) throw new TypeError(`${name} made no object`);
      return object;
    },
    get: (_target, key): unknown => Reflect.get(real(), key),
  });
  return stand;
}
