import { fieldInvalid, fieldPath, type FieldError } from "@kedge/machinery";

/** How much pods may do: nearly anything, nothing that is known to be dangerous, or only what is known to be good. */
export type Level = "baseline" | "privileged" | "restricted";

/** A level as it was in a minor version of Kubernetes. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: number | "latest";
}

/** What a namespace asks of its pods. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

type Labels = Readonly<Record<string, string | undefined>>;

/** The policy in the labels of a namespace, and what is wrong with those. */
export function policyOf(labels: Labels = {}): {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
} {
  const errors: FieldError[] = [];
  const read = <T>(
    name: string,
    parse: (text: string) => T | undefined,
    rule: string,
  ): T | "none" | "wrong" => {
    const key = `${prefix}${name}`;
    const text = labels[key];
    if (text === undefined) return "none";
    const value = parse(text);
    if (value !== undefined) return value;
    errors.push(fieldInvalid(fieldPath("metadata", "labels").key(key), text, rule));
    return "wrong";
  };
  const modeOf = (
    mode: string,
  ): { readonly level: Level | "none" | "wrong"; readonly version: Version | "none" | "wrong" } => ({
    level: read(mode, parseLevel, `must be one of ${levels.join(", ")}`),
    version: read(`${mode}-version`, parseVersion, 'must be "latest" or "v1.x"'),
  });
  const [enforced, audited, warned] = [modeOf("enforce"), modeOf("audit"), modeOf("warn")];
  const enforce = {
    // What cannot be read is taken for the strictest, and for nothing where it is only told.
    level: given(enforced.level, { none: "privileged", wrong: "restricted" } as const),
    version: versionOf(enforced.version),
  };
  const audit = {
    level: given(audited.level, { none: "privileged", wrong: "privileged" } as const),
    version: versionOf(audited.version),
  };
  const warn = {
    level: given(warned.level, { none: "privileged", wrong: "privileged" } as const),
    version: versionOf(warned.version),
  };
  const follows =
    warned.level === "none" && enforced.level !== "wrong" && compareLevels(enforce.level, warn.level) > 0;
  const followed = {
    level: enforce.level,
    version: warned.version === "none" ? enforce.version : warn.version,
  };
  return { policy: { enforce, audit, warn: follows ? followed : warn }, errors };
}

/** `restricted:v1.30`. */
export function levelText({ level, version }: LevelVersion): string {
  return `${level}:${version === "latest" ? "latest" : `v1.${version}`}`;
}

/** Whether it is the same level in the same version. */
export function isSameLevel(one: LevelVersion, other: LevelVersion): boolean {
  return one.level === other.level && one.version === other.version;
}

/** More than 0 when `one` is stricter. */
export function compareLevels(one: Level, other: Level): number {
  return levels.indexOf(one) - levels.indexOf(other);
}

type Version = LevelVersion["version"];

const prefix = "pod-security.kubernetes.io/";

const levels: readonly Level[] = ["privileged", "baseline", "restricted"];

function parseLevel(text: string): Level | undefined {
  return levels.find((level) => level === text);
}

function parseVersion(text: string): Version | undefined {
  if (text === "latest") return "latest";
  const [, minor] = /^v1\.(\d|[1-9]\d*)$/u.exec(text) ?? [];
  return minor === undefined || !Number.isSafeInteger(Number(minor)) ? undefined : Number(minor);
}

function versionOf(read: Version | "none" | "wrong"): Version {
  return read === "none" || read === "wrong" ? "latest" : read;
}

function given(read: Level | "none" | "wrong", otherwise: Readonly<Record<"none" | "wrong", Level>>): Level {
  return read === "none" || read === "wrong" ? otherwise[read] : read;
}
