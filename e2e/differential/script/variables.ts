import type { Variables } from "./script.ts";

const reference = /\$\{([^}]*)\}/gu;

/** Puts values in the place of `${name}`, in texts, keys and lists however deep. */
export function fill<T>(value: T, variables: Variables): T {
  return fillAny(value, variables) as T;
}

/** The names of all variables that a value refers to. */
export function variablesIn(value: unknown): readonly string[] {
  return [...(JSON.stringify(value) ?? "").matchAll(reference)].map(([, name = ""]) => name);
}

function fillAny(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") return fillText(value, variables);
  if (Array.isArray(value)) return value.map((item) => fillAny(item, variables));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [fillText(key, variables), fillAny(item, variables)]),
  );
}

/** What is not a variable here stays as it is. */
function fillText(text: string, variables: Variables): string {
  return text.replaceAll(reference, (whole, name: string) => variables[name] ?? whole);
}
