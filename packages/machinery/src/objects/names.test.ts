import { describe, expect, test } from "vitest";
import {
  validateCIdentifier,
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateEnvVarName,
  validateHttpHeaderName,
  validateLabelValue,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
  validateRelaxedEnvVarName,
  validateWildcardDns1123Subdomain,
} from "./names.ts";

const a = (count: number): string => "a".repeat(count);

// Kubernetes' messages in full: they are what users see, and search for.
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const wildcard =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const nameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const envVar =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
const relaxedEnvVar =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";
const configKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const identifier =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const header =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

type Case = readonly [value: string, ...errors: string[]];

const tables: Readonly<
  Record<
    string,
    { validate: (value: string) => string[]; valid: readonly string[]; invalid: readonly Case[] }
  >
> = {
  "DNS-1123 label": {
    validate: validateDns1123Label,
    valid: ["a", "ab", "a1", "a-1", "a--1--2--b", "0", "01", "0-a", "a--1", a(63)],
    invalid: [
      ["", label],
      ["A", label],
      ["aBc", label],
      ["-a", label],
      ["1-", label],
      ["a_b", label],
      ["a b", label],
      ["a\n", label],
      ["a.b", "must not contain dots"],
      [".", label],
      ["a.", label],
      [a(64), "must be no more than 63 characters"],
      [`${a(63)}.`, "must be no more than 63 characters", label],
      [`${a(31)}.${a(32)}`, "must be no more than 63 characters", "must not contain dots"],
      // 32 characters, but 64 bytes.
      ["é".repeat(32), "must be no more than 63 characters", label],
      ["é".repeat(31), label],
    ],
  },
  "DNS-1123 subdomain": {
    validate: validateDns1123Subdomain,
    valid: ["a", "0", "a.b", "0.0", "a-1.b--2.c", "a.b.c.d.e", `${a(63)}.${a(189)}`],
    invalid: [
      ["", subdomain],
      ["A.a", subdomain],
      ["a.B", subdomain],
      ["-a", subdomain],
      ["a-.b", subdomain],
      ["a.-b", subdomain],
      ["a..b", subdomain],
      [".a", subdomain],
      ["a.", subdomain],
      ["a_b", subdomain],
      [a(254), "must be no more than 253 characters"],
    ],
  },
  "DNS-1035 label": {
    validate: validateDns1035Label,
    valid: ["a", "a1", "a-1", "a--1--2--b", a(63)],
    invalid: [
      ["", label1035],
      ["0", label1035],
      ["1a", label1035],
      ["a-", label1035],
      ["-a", label1035],
      ["a.b", label1035],
      ["aB", label1035],
      [a(64), "must be no more than 63 characters"],
    ],
  },
  "wildcard subdomain": {
    validate: validateWildcardDns1123Subdomain,
    valid: ["*.example.com", "*.bar.com", "*.a"],
    invalid: [
      ["", wildcard],
      ["*", wildcard],
      ["*.", wildcard],
      ["*bar.com", wildcard],
      ["f*.bar.com", wildcard],
      ["*.*.bar.com", wildcard],
      ["*.foo.*.com", wildcard],
      ["bar.com", wildcard],
      [`*.${a(252)}`, "must be no more than 253 characters"],
    ],
  },
  "qualified name": {
    validate: validateQualifiedName,
    valid: [
      "simple",
      "now-with-dashes",
      "1-starts-with-num",
      "1234",
      "simple/simple",
      "now-with-dashes/simple",
      "now.with.dots/simple",
      "1-num.2-num/3-num",
      "1.2.3.4/5678",
      "Uppercase_Is_OK_123",
      "example.com/Uppercase_Is_OK_123",
      "requests.storage-foo",
      a(63),
      `${a(253)}/${a(63)}`,
    ],
    invalid: [
      ["", "name part must be non-empty", `name part ${nameRule}`],
      ["nospecialchars%^=@", `name part ${nameRule}`],
      ["cantendwithadash-", `name part ${nameRule}`],
      ["-cantstartwithadash-", `name part ${nameRule}`],
      [a(64), "name part must be no more than 63 bytes"],
      ["/name", "prefix part must be non-empty"],
      ["prefix/", "name part must be non-empty", `name part ${nameRule}`],
      [
        "only/one/slash",
        `a valid label key ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
      ["Example.com/abc", `prefix part ${subdomain}`],
      ["example_com/abc", `prefix part ${subdomain}`],
      [`${a(254)}/abc`, "prefix part must be no more than 253 bytes"],
    ],
  },
  "label value": {
    validate: validateLabelValue,
    valid: ["", "simple", "now-with-dashes", "1.2.3.4", "1234", "A_b.C", a(63)],
    invalid: [
      ["end-with-num-", labelValue],
      ["-starts", labelValue],
      ["nospecialchars%^=@", labelValue],
      ["a/b", labelValue],
      [" ", labelValue],
      [a(64), "must be no more than 63 bytes"],
    ],
  },
  "port name": {
    validate: validatePortName,
    valid: ["telnet", "re-mail-ck", "pop3", "a", "a-1", "1-a", "a-1-b-2-c", "1-a-2-b-3"],
    invalid: [
      [
        "",
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        "must contain at least one letter (a-z)",
      ],
      ["longerthan15characters", "must be no more than 15 characters"],
      ["12345", "must contain at least one letter (a-z)"],
      ["-begin", "must not begin or end with a hyphen"],
      ["end-", "must not begin or end with a hyphen"],
      ["two--hyphens", "must not contain consecutive hyphens"],
      ["whois++", "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"],
      ["Http", "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"],
      ["-", "must contain at least one letter (a-z)", "must not begin or end with a hyphen"],
    ],
  },
  "path segment": {
    validate: validatePathSegmentName,
    valid: [
      "",
      "foo",
      "foo.bar.baz",
      "sha256:ABCDEF012345@ABCDEF012345",
      "Iñtërnâtiônàlizætiøn",
      ".test",
      "..test",
    ],
    invalid: [
      [".", "may not be '.'"],
      ["..", "may not be '..'"],
      ["foo/bar", "may not contain '/'"],
      ["foo%bar", "may not contain '%'"],
      ["a/b%c", "may not contain '/'", "may not contain '%'"],
    ],
  },
  "beginning of a path segment": {
    validate: validatePathSegmentPrefix,
    valid: ["", "foo", ".", ".."],
    invalid: [["foo/", "may not contain '/'"]],
  },
  "environment variable": {
    validate: validateEnvVarName,
    valid: ["my.env-name", "MY_ENV.NAME", "MyEnvName1", "_", ".a", "-"],
    invalid: [
      ["", envVar],
      ["1a", envVar],
      ["a=b", envVar],
      [".", "must not be '.'"],
      ["..", "must not be '..'"],
      ["..a", "must not start with '..'"],
    ],
  },
  "relaxed environment variable": {
    validate: validateRelaxedEnvVarName,
    valid: ["-", ":", "_", "+a", "1A", "HelloWorld-3.py", " ", "..", "~", "<>"],
    invalid: [
      ["", "environment variable name must be non-empty"],
      ["=", relaxedEnvVar],
      ["a=b", relaxedEnvVar],
      ["a\n", relaxedEnvVar],
      ["\u007f", relaxedEnvVar],
      ["é", relaxedEnvVar],
    ],
  },
  "config map key": {
    validate: validateConfigMapKey,
    valid: [
      "a",
      "good",
      "good-good",
      "still.good",
      "this.is.also.good",
      ".so.is.this",
      "THIS_IS_GOOD",
      a(253),
    ],
    invalid: [
      ["", configKey],
      [".", "must not be '.'"],
      ["..", "must not be '..'"],
      ["..bad", "must not start with '..'"],
      ["b*d", configKey],
      [a(254), "must be no more than 253 characters"],
    ],
  },
  "C identifier": {
    validate: validateCIdentifier,
    valid: ["a", "ab", "a1", "_a", "a_", "__a1", "A", "_1"],
    invalid: [
      ["", identifier],
      ["1", identifier],
      ["a-b", identifier],
      ["a.b", identifier],
    ],
  },
  "HTTP header name": {
    validate: validateHttpHeaderName,
    valid: ["Accept-Encoding", "Host", "X-Forwarded-For", "1"],
    invalid: [
      ["", header],
      ["Host:", header],
      ["a b", header],
    ],
  },
};

describe.each(Object.entries(tables))("%s", (_, { validate, valid, invalid }) => {
  test.each(valid)("%j is valid", (value) => {
    expect(validate(value)).toEqual([]);
  });
  test.each(invalid)("%j is refused with Kubernetes' text", (value, ...errors) => {
    expect(validate(value)).toEqual(errors);
  });
  test("a hostile value takes no longer than its length", () => {
    const values = [a(100_000), "a.".repeat(50_000), `*.${"a-".repeat(50_000)}`].map((start) => `${start}%é`);
    for (const value of values) expect(validate(value)).not.toEqual([]);
  });
});

test.each([1, 2, 1000, 16384, 65535])("%i is a port number", (value) => {
  expect(validatePortNumber(value)).toEqual([]);
});

test.each([0, -1, 65536, 1.5, Number.NaN])("%d is no port number", (value) => {
  expect(validatePortNumber(value)).toEqual(["must be between 1 and 65535, inclusive"]);
});
