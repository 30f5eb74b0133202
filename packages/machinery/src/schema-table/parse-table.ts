import { parseField, parseMapType, parseShape, type TypeNames } from "./parse-field.ts";
import type { SchemaTable, TableType } from "./schema-table.ts";

/**
 * Reads a table. It is lines of words: `@package group/version` begins a package; every other line is a type of it:
 *
 *     Title[:shape][@|@@][^a] field…
 *
 * `@` marks a kind of the package's group version, `@@` one of every group version, `^a` an atomic struct. Types and
 * fields (see `parseField`) are read when they are first asked for: most programs need a few dozen of 770.
 */
export function parseTable(text: string): SchemaTable {
  const lines = new Map<string, { readonly line: string; readonly home: Home }>();
  const homes: string[] = [];
  const kinds = new Map<string, string>();
  let home: Home = { home: "", homes, groupVersion: "" };
  for (const line of text.split("\n")) {
    if (line === "") continue;
    if (line.startsWith("@")) {
      const [name = "", groupVersion = ""] = line.slice(1).split(" ");
      home = { home: name, homes, groupVersion };
      homes.push(name);
      continue;
    }
    const title = line.slice(0, line.search(/\W|$/));
    lines.set(`${home.home}.${title}`, { line, home });
    if (line.startsWith("@@", title.length)) kinds.set(title, `${home.home}.${title}`);
    else if (line.startsWith("@", title.length))
      kinds.set(`${home.groupVersion}/${title}`, `${home.home}.${title}`);
  }

  const types = new Map<string, TableType>();
  const type = (name: string): TableType | undefined => {
    const source = lines.get(name);
    const known = types.get(name);
    if (known !== undefined || source === undefined) return known;
    const made = parseType(source.line, source.home);
    types.set(name, made);
    return made;
  };
  return {
    names: [...lines.keys()],
    type,
    kind: ({ group, version, kind }) =>
      type(kinds.get(`${group}/${version}/${kind}`) ?? kinds.get(kind) ?? ""),
  };
}

interface Home extends TypeNames {
  readonly groupVersion: string;
}

const headPattern = /^(?<title>\w+)(?::(?<shape>[^@^]+))?(?<kind>@{0,2})(?:\^(?<mapType>[ag]))?$/;

function parseType(line: string, home: Home): TableType {
  const [first = "", ...words] = line.split(" ");
  const head = headPattern.exec(first)?.groups;
  if (head === undefined) throw new Error(`schema table: ${first}: no type begins like this`);
  const { title = "", shape, kind, mapType } = head;
  const [group = "", version = ""] = home.groupVersion.split("/");
  let fields: TableType["fields"] | undefined;
  return {
    name: `${home.home}.${title}`,
    title,
    kind: kind === "@" ? { group, version, kind: title } : undefined,
    shape: shape === undefined ? undefined : parseShape(shape, home),
    mapType: parseMapType(mapType),
    get fields() {
      fields ??= new Map(words.map((word) => parseField(word, home)).map((field) => [field.name, field]));
      return fields;
    },
  };
}
