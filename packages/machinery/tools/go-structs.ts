/** One field of a Go struct that JSON knows. */
export interface GoField {
  /** The name in JSON; empty for an embedded struct whose fields appear in its place. */
  readonly name: string;
  /** The type without `*`, as written: `metav1.Time`, `[]string`. */
  readonly type: string;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
}

/** The structs of a Go file by their names. It is read line by line: Kubernetes' API types are plain enough for that. */
export function readGoStructs(source: string): ReadonlyMap<string, readonly GoField[]> {
  const structs = new Map<string, readonly GoField[]>();
  for (const { groups } of source.matchAll(/^type (?<name>\w+) struct \{(?<body>.*?)^\}/gms)) {
    structs.set(groups?.["name"] ?? "", readFields(groups?.["body"] ?? ""));
  }
  return structs;
}

const fieldPattern = /^\t(?:(?<field>\w+)\s+)?(?<type>[\w.*[\]]+)\s+`[^`]*json:"(?<json>[^"]*)"[^`]*`/gm;

function readFields(body: string): readonly GoField[] {
  return [...body.matchAll(fieldPattern)].flatMap(({ groups }) => {
    const [name = "", ...options] = (groups?.["json"] ?? "").split(",");
    const type = groups?.["type"] ?? "";
    if (name === "-") return [];
    return {
      name,
      type: type.replace("*", ""),
      pointer: type.startsWith("*"),
      omitEmpty: options.includes("omitempty"),
      omitZero: options.includes("omitzero"),
    };
  });
}
