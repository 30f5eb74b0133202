import { parse } from "yaml";

/** A place in a configuration file: what it holds is read with the path of the field in each complaint. */
export interface ConfigField {
  readonly path: string;
  /** What the file says there; undefined when it says nothing. */
  readonly value: unknown;
  /** The fields of an object, of which all must be known. Throws when it is none. */
  fields(known?: readonly string[]): ConfigFields;
  /** The elements of a list; nothing is an empty list unless `required`. Throws when it is none. */
  elements(required?: "required"): readonly ConfigField[];
  /** The texts of a list. */
  texts(): readonly string[];
  /** An error that names the field. */
  readonly wrong: (why: string) => Error;
}

/** The fields of an object by their names. */
export interface ConfigFields {
  readonly names: readonly string[];
  readonly get: (name: string) => ConfigField;
}

/**
 * Reads a configuration file of a kind, in YAML or JSON. `what` begins each complaint: `the audit policy`. Throws when it
 * is of another kind, or has fields that are not known.
 */
export function readConfigFile(
  text: string,
  {
    what,
    kind,
    apiVersion,
    known,
  }: {
    readonly what: string;
    readonly kind: string;
    readonly apiVersion: string;
    readonly known: readonly string[];
  },
): ConfigFields {
  const file = fieldAt(what, "", parse(text));
  const { get } = file.fields();
  if (get("kind").value !== kind || get("apiVersion").value !== apiVersion)
    throw get("kind").wrong(`must be ${kind} of ${apiVersion}`);
  return file.fields(["kind", "apiVersion", ...known]);
}

function fieldAt(what: string, path: string, value: unknown): ConfigField {
  const wrong = (why: string, at = path): Error => new Error(`${what} is wrong: ${at || "the file"}: ${why}`);
  const below = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const elements = (required?: "required"): readonly ConfigField[] => {
    const list = required === undefined ? (value ?? []) : value;
    if (!Array.isArray(list)) throw wrong("must be a list");
    return list.map((each, index) => fieldAt(what, `${path}[${index}]`, each));
  };
  return {
    path,
    value,
    wrong: (why) => wrong(why),
    fields: (known) => {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw wrong("must be an object");
      const fields = new Map<string, unknown>(Object.entries(value));
      const unknown = [...fields.keys()].find((name) => known?.includes(name) === false);
      if (unknown !== undefined) throw wrong("is not known", below(unknown));
      return { names: [...fields.keys()], get: (name) => fieldAt(what, below(name), fields.get(name)) };
    },
    elements,
    texts: () =>
      elements().map(({ value: text }) => {
        if (typeof text !== "string") throw wrong("must be a list of texts");
        return text;
      }),
  };
}
