// Each function says what is wrong with a value, in Kubernetes' words, and returns an empty list when nothing is. They
// are not called `is…` as in Kubernetes, because a list is always true in a condition.

/** A name of one part that may start with a digit: namespaces, containers, volumes, services since Kubernetes 1.36. */
export function validateDns1123Label(value: string): string[] {
  const errors = tooLong(value, 63, "characters");
  // The length was complained of already, so dots are all that can be wrong with a subdomain.
  const dots = !rules.dns1123Label.regex.test(value) && rules.dns1123Subdomain.regex.test(value);
  return [...errors, ...(dots ? ["must not contain dots"] : broken(rules.dns1123Label, value))];
}

/** A name of parts with dots between: most objects' names. */
export function validateDns1123Subdomain(value: string): string[] {
  return [...tooLong(value, 253, "characters"), ...broken(rules.dns1123Subdomain, value)];
}

/** A name of one part that starts with a letter: services before Kubernetes 1.36. */
export function validateDns1035Label(value: string): string[] {
  return [...tooLong(value, 63, "characters"), ...broken(rules.dns1035Label, value)];
}

/** A host with a wildcard as its first part: `*.example.com`. */
export function validateWildcardDns1123Subdomain(value: string): string[] {
  return [...tooLong(value, 253, "characters"), ...broken(rules.wildcard, value)];
}

/**
 * `name` or `prefix.example.com/name`: label keys, finalizers, condition types. For annotation keys Kubernetes applies
 * it to the key in lower case.
 */
export function validateQualifiedName(value: string): string[] {
  const [first = "", second, third] = value.split("/", 3);
  if (third !== undefined) {
    const text = `a valid label key ${rules.qualifiedName.message}`;
    return [`${text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  if (second === undefined) return namePartErrors(first);
  return [...prefixPartErrors(first), ...namePartErrors(second)];
}

/** The value of a label: empty, or up to 63 characters of a name. */
export function validateLabelValue(value: string): string[] {
  return [...tooLong(value, 63, "bytes"), ...broken(rules.labelValue, value)];
}

/** The name of a port of a container or service: up to 15 characters with a letter among them. */
export function validatePortName(value: string): string[] {
  const errors = tooLong(value, 15, "characters");
  if (!/^[-a-z0-9]+$/u.test(value)) {
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/u.test(value)) errors.push("must contain at least one letter (a-z)");
  if (value.includes("--")) errors.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

/** A port number that is not zero. */
export function validatePortNumber(value: number): string[] {
  const valid = Number.isInteger(value) && value >= 1 && value <= 65535;
  return valid ? [] : ["must be between 1 and 65535, inclusive"];
}

/** A name that need only be usable in a path: roles, role bindings. Neither emptiness nor length is checked. */
export function validatePathSegmentName(value: string): string[] {
  return value === "." || value === ".." ? [`may not be '${value}'`] : validatePathSegmentPrefix(value);
}

/** The beginning (`generateName`) of a name that need only be usable in a path. */
export function validatePathSegmentPrefix(value: string): string[] {
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** The strict rule for names of environment variables, which pods are not held to since Kubernetes 1.32. */
export function validateEnvVarName(value: string): string[] {
  return [...broken(rules.envVarName, value), ...parentDirectoryErrors(value)];
}

/** The rule for names of environment variables in pods: printable ASCII without `=`. */
export function validateRelaxedEnvVarName(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  if (/^[ -<>-~]*$/u.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** A key of a config map or secret. */
export function validateConfigMapKey(value: string): string[] {
  return [
    ...tooLong(value, 253, "characters"),
    ...broken(rules.configMapKey, value),
    ...parentDirectoryErrors(value),
  ];
}

/** An identifier of the C language. */
export function validateCIdentifier(value: string): string[] {
  return broken(rules.cIdentifier, value);
}

/** The name of an HTTP header, as a probe sends it. */
export function validateHttpHeaderName(value: string): string[] {
  return broken(rules.httpHeaderName, value);
}

interface Rule {
  readonly regex: RegExp;
  readonly message: string;
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const name = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const rules = {
  dns1123Label: rule(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
      "and must start and end with an alphanumeric character",
    label,
    ["my-name", "123-abc"],
  ),
  dns1123Subdomain: rule(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
      "and must start and end with an alphanumeric character",
    subdomain,
    ["example.com"],
  ),
  dns1035Label: rule(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
      "start with an alphabetic character, and end with an alphanumeric character",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    ["my-name", "abc-123"],
  ),
  wildcard: rule(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, " +
      "which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    `\\*\\.${subdomain}`,
    ["*.example.com"],
  ),
  qualifiedName: rule(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    name,
    ["MyName", "my.name", "123-abc"],
  ),
  labelValue: rule(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
      "and must start and end with an alphanumeric character",
    `(${name})?`,
    ["MyValue", "my_value", "12345"],
  ),
  envVarName: rule(
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', " +
      "and must not start with a digit",
    "[-._a-zA-Z][-._a-zA-Z0-9]*",
    ["my.env-name", "MY_ENV.NAME", "MyEnvName1"],
  ),
  configMapKey: rule(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    "[-._a-zA-Z0-9]+",
    ["key.name", "KEY_NAME", "key-name"],
  ),
  cIdentifier: rule(
    "a valid C identifier must start with alphabetic character or '_', " +
      "followed by a string of alphanumeric characters or '_'",
    "[A-Za-z_][A-Za-z0-9_]*",
    ["my_name", "MY_NAME", "MyName"],
  ),
  httpHeaderName: rule(
    "a valid HTTP header must consist of alphanumeric characters or '-'",
    "[-A-Za-z0-9]+",
    ["X-Header-Name"],
  ),
};

function rule(text: string, pattern: string, examples: readonly string[]): Rule {
  // Each example brings its own comma: two spaces before "or" are Kubernetes' own.
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return {
    regex: new RegExp(`^${pattern}$`, "u"),
    message: `${text} (e.g. ${list}regex used for validation is '${pattern}')`,
  };
}

function broken({ regex, message }: Rule, value: string): string[] {
  return regex.test(value) ? [] : [message];
}

/** Kubernetes counts bytes in both cases, whatever the text says. */
function tooLong(value: string, max: number, unit: "bytes" | "characters"): string[] {
  const long = value.length > max || (value.length * 3 > max && utf8Length(value) > max);
  return long ? [`must be no more than ${max} ${unit}`] : [];
}

function utf8Length(value: string): number {
  let bytes = 0;
  for (const character of value) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x80) bytes += 1;
    else if (point < 0x800) bytes += 2;
    else bytes += point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function prefixPartErrors(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  const errors = [...tooLong(prefix, 253, "bytes"), ...broken(rules.dns1123Subdomain, prefix)];
  return errors.map((error) => `prefix part ${error}`);
}

function namePartErrors(part: string): string[] {
  const errors = part === "" ? ["must be non-empty"] : tooLong(part, 63, "bytes");
  return [...errors, ...broken(rules.qualifiedName, part)].map((error) => `name part ${error}`);
}

/** Names that become files must not lead out of their folder. */
function parentDirectoryErrors(value: string): string[] {
  if (value === "." || value === "..") return [`must not be '${value}'`];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}
