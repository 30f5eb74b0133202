import { builtinModules as names } from "node:module";
import type { Plugin } from "rolldown";

/** Marks the modules of this plugin. */
const prefix = "\0builtin:";

// The bundler asks only for these: a question costs more than most modules.
const isBuiltin = new RegExp(`^(?:node:|(?:${names.join("|")})$)`, "u");
const ours = /^\0builtin:/u;

/** Importing these loads an HTTP client of 14 MB that nobody asked for: they are read when somebody does. */
const lazy: ReadonlySet<string> = new Set(["WebSocket", "CloseEvent", "MessageEvent"]);

/**
 * Takes Node's own modules from `process.getBuiltinModule`. An `import` of one reads each of its exports at once, also
 * those that load something else on first use.
 */
export function builtinModules(): Plugin {
  return {
    name: "kedge-builtin-modules",
    resolveId: {
      filter: { id: isBuiltin },
      handler(id, importer, { kind }) {
        // `require` reads nothing, and the bundler's own helpers must not depend on another file of the bundle.
        if (kind === "require-call" || importer?.startsWith("\0rolldown") === true)
          return { id, external: true };
        return { id: `${prefix}${id.replace(/^node:/u, "")}`, moduleSideEffects: false };
      },
    },
    load: {
      filter: { id: ours },
      handler: (id) => moduleFor(id.slice(prefix.length)),
    },
  };
}

/** A module that exports what one of Node's does. What nobody imports is dropped by the bundler. */
async function moduleFor(name: string): Promise<string> {
  const builtin: unknown = await import(/* @vite-ignore */ `node:${name}`);
  const exported = Object.keys(builtin ?? {}).filter(
    (each) => /^[\w$]+$/u.test(each) && each !== "default" && !lazy.has(each),
  );
  return [
    `const builtin = process.getBuiltinModule("node:${name}");`,
    "export default builtin;",
    ...exported.map((each) => `const $${each} = /* @__PURE__ */ (() => builtin.${each})();`),
    `export { ${exported.map((each) => `$${each} as ${each}`).join(", ")} };`,
  ].join("\n");
}
