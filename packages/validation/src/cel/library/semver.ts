import { goQuote } from "@kedge/machinery";
import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { boolType, intType, stringType, structType } from "../values/types.ts";
import { CelError, isError, type Opaque, type Value } from "../values/values.ts";
import { fn, method } from "./declare.ts";

export const semverType = structType("kubernetes.Semver");

class Semver implements Opaque {
  readonly opaque = semverType;
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  equals(other: Value): boolean {
    return other instanceof Semver && compareVersions(this, other) === 0;
  }
}

/** Kubernetes' library of semantic versions. */
export function semver(): Overload[] {
  const isOne = (text: Value = null, normalize: Value = false): Value => !isError(parsed(text, normalize));
  const comparison = (
    name: string,
    id: string,
    shown: (order: number) => Value,
    result = boolType,
  ): Overload =>
    method(name, id, [semverType, semverType, result], (a = null, b = null) =>
      a instanceof Semver && b instanceof Semver ? shown(compareVersions(a, b)) : noSuchOverload,
    );
  const number = (name: string, index: 0 | 1 | 2): Overload =>
    method(name, `semver_${name}`, [semverType, intType], (version = null) =>
      version instanceof Semver ? version.numbers[index] : noSuchOverload,
    );
  return [
    fn("semver", "string_to_semver", [stringType, semverType], parsed),
    fn("semver", "string_bool_to_semver", [stringType, boolType, semverType], parsed),
    fn("isSemver", "is_semver_string", [stringType, boolType], isOne),
    fn("isSemver", "is_semver_string_bool", [stringType, boolType, boolType], isOne),
    comparison("isGreaterThan", "semver_is_greater_than", (order) => order > 0),
    comparison("isLessThan", "semver_is_less_than", (order) => order < 0),
    comparison("compareTo", "semver_compare_to", (order) => BigInt(order), intType),
    number("major", 0),
    number("minor", 1),
    number("patch", 2),
  ];
}

function parsed(text: Value = null, normalize: Value = false): Value {
  return typeof text === "string" && typeof normalize === "boolean" ? parse(text, normalize) : noSuchOverload;
}

function parse(text: string, normalize: boolean): Value {
  if (!normalize) return parseStrictly(text);
  const parts = splitInThree(text.replace(/^v/u, "")).map((part) =>
    part.length > 1 ? part.replace(/^0+/u, "").replace(/^(?!\d)/u, "0") : part,
  );
  if (parts.length < 3 && /[+-]/u.test(parts.at(-1) ?? "")) {
    return new CelError("short version cannot contain PreRelease/Build meta data");
  }
  while (parts.length < 3) parts.push("0");
  return parseStrictly(parts.join("."));
}

/** Split at the first two dots. */
function splitInThree(text: string): string[] {
  const [first = "", second, ...rest] = text.split(".");
  if (second === undefined) return [first];
  return rest.length === 0 ? [first, second] : [first, second, rest.join(".")];
}

function parseStrictly(text: string): Value {
  if (text === "") return new CelError("Version string empty");
  const [major = "", minor, rest] = splitInThree(text);
  if (minor === undefined || rest === undefined) return new CelError("No Major.Minor.Patch elements found");
  const plus = rest.indexOf("+");
  const build = plus < 0 ? [] : rest.slice(plus + 1).split(".");
  const unbuilt = plus < 0 ? rest : rest.slice(0, plus);
  const dash = unbuilt.indexOf("-");
  const prerelease = dash < 0 ? [] : unbuilt.slice(dash + 1).split(".");
  const patch = dash < 0 ? unbuilt : unbuilt.slice(0, dash);
  const wrong =
    numberWrong("major", major) ??
    numberWrong("minor", minor) ??
    numberWrong("patch", patch) ??
    prereleaseWrong(prerelease) ??
    buildWrong(build);
  if (wrong !== undefined) return new CelError(wrong);
  return new Semver([BigInt(major), BigInt(minor), BigInt(patch)], prerelease);
}

function numberWrong(name: string, text: string): string | undefined {
  if (!/^\d*$/u.test(text)) return `Invalid character(s) found in ${name} number ${goQuote(text)}`;
  if (text.length > 1 && text.startsWith("0")) {
    return `${name.charAt(0).toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${goQuote(text)}`;
  }
  if (text === "") return `strconv.ParseUint: parsing "": invalid syntax`;
  return BigInt(text) >= 2n ** 64n
    ? `strconv.ParseUint: parsing ${goQuote(text)}: value out of range`
    : undefined;
}

function prereleaseWrong(parts: readonly string[]): string | undefined {
  for (const part of parts) {
    if (part === "") return "Prerelease is empty";
    if (/^0\d+$/u.test(part))
      return `Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`;
    if (!/^[0-9A-Za-z-]+$/u.test(part)) return `Invalid character(s) found in prerelease ${goQuote(part)}`;
  }
  return undefined;
}

function buildWrong(parts: readonly string[]): string | undefined {
  for (const part of parts) {
    if (part === "") return "Build meta data is empty";
    if (!/^[0-9A-Za-z-]+$/u.test(part))
      return `Invalid character(s) found in build meta data ${goQuote(part)}`;
  }
  return undefined;
}

function compareVersions(a: Semver, b: Semver): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number > other ? 1 : -1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  for (const [index, part] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    const order = comparePrerelease(part, other);
    if (order !== 0) return order;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

function comparePrerelease(a: string, b: string): number {
  const [numericA, numericB] = [/^\d+$/u.test(a), /^\d+$/u.test(b)];
  if (numericA && numericB) return BigInt(a) === BigInt(b) ? 0 : BigInt(a) > BigInt(b) ? 1 : -1;
  if (numericA !== numericB) return numericA ? -1 : 1;
  if (a === b) return 0;
  return a > b ? 1 : -1;
}
