import type { Refusal } from "@kedge/runtime";

/** Why directives of `spec.config` cannot be taken. Values are never repeated: they may be secrets. */
export function checkConfig(config: Readonly<Record<string, string>> | undefined): readonly Refusal[] {
  const names = new Map<string, string>();
  return Object.entries(config ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => {
      const twin = names.get(key.toLowerCase());
      names.set(key.toLowerCase(), key);
      const why =
        twin === undefined
          ? checkDirective(key, value)
          : `is the same directive as ${twin}: keep one of them`;
      return why === undefined ? [] : [{ field: `spec.config[${JSON.stringify(key)}]`, message: why }];
    });
}

function checkDirective(key: string, value: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/u.test(key)) {
    return "is not the name of a directive: it must be letters, digits and dashes, as in maxmemory-policy";
  }
  const owner = reserved.get(key.toLowerCase());
  if (owner !== undefined) return owner;
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F]/u.test(value)) {
    return "has a value with a line break or another control character: a directive is one line";
  }
  if (!hasBalancedQuotes(value)) {
    return "has a value with a quote that is not closed, or is not followed by a space: Redis would not start";
  }
  return undefined;
}

const byOperator = "is set by the operator and cannot be set here";
const useAuth =
  "holds a password and does not belong into a ConfigMap: use spec.auth and the Secret <name>-auth";

const reserved: ReadonlyMap<string, string> = new Map([
  ["port", byOperator],
  ["dir", byOperator],
  ["include", byOperator],
  ["daemonize", byOperator],
  ["replicaof", `${byOperator}: use spec.replicas`],
  ["slaveof", `${byOperator}: use spec.replicas`],
  ["cluster-enabled", `${byOperator}: an instance is a primary with replicas, not a cluster`],
  ["requirepass", useAuth],
  ["masterauth", useAuth],
  ["masteruser", useAuth],
  ["user", useAuth],
  ["aclfile", useAuth],
  ["tls-key-file-pass", useAuth],
  ["tls-client-key-file-pass", useAuth],
]);

/** Words as Redis splits them: "…" with escapes, '…' with \' only, each followed by a space or the end. */
function hasBalancedQuotes(value: string): boolean {
  const word = /^(?:\s+|"(?:\\.|[^"\\])*"(?=\s|$)|'(?:\\'|[^'])*'(?=\s|$)|[^\s"']+)/u;
  let rest = value;
  while (rest !== "") {
    const [found] = word.exec(rest) ?? [];
    if (found === undefined) return false;
    rest = rest.slice(found.length);
  }
  return true;
}
