/** One field of a protobuf message. */
export interface ProtoField {
  readonly name: string;
  readonly number: number;
  /** `string`, `int32`, or a message by its full name: `io.k8s.api.core.v1.ProbeHandler`. Of a map, that of its values. */
  readonly type: string;
}

/** The messages of a `generated.proto`, by the full names that the API definition gives to the same types. */
export function readProtoMessages(source: string): ReadonlyMap<string, readonly ProtoField[]> {
  const home = toTypeName(/^package (?<name>[\w.]+);$/m.exec(source)?.groups?.["name"] ?? "");
  const messages = new Map<string, readonly ProtoField[]>();
  for (const { groups } of source.matchAll(messagePattern)) {
    messages.set(`${home}.${groups?.["name"] ?? ""}`, readFields(groups?.["body"] ?? "", home));
  }
  return messages;
}

const messagePattern = /^message (?<name>\w+) \{\n(?<body>.*?)^\}/gms;
const fieldPattern =
  /^ {2}(?:(?:optional|repeated) (?<type>[\w.]+)|map<string, (?<value>[\w.]+)>) (?<name>\w+) = (?<number>\d+);$/gm;

function readFields(body: string, home: string): readonly ProtoField[] {
  return [...body.matchAll(fieldPattern)].map(({ groups }) => {
    const type = groups?.["type"] ?? groups?.["value"] ?? "";
    return {
      name: groups?.["name"] ?? "",
      number: Number(groups?.["number"]),
      type: /^[a-z0-9]+$/.test(type) ? type : type.includes(".") ? toTypeName(type) : `${home}.${type}`,
    };
  });
}

/** Protobuf says `.k8s.io.kube_aggregator.…` where the API definition says `io.k8s.kube-aggregator.…`. */
function toTypeName(name: string): string {
  return name.replace(/^\.?k8s\.io\./, "io.k8s.").replaceAll("_", "-");
}
