import { deepEqual, type ConditionUpdate } from "@kedge/machinery";
import { holds, type Definition, type DefinitionNames } from "./definition.ts";

/** Which names a definition gets, and what is said of it. */
export interface Naming {
  readonly acceptedNames: DefinitionNames;
  readonly namesAccepted: ConditionUpdate;
  /** Undefined when what is said already stays. */
  readonly established: ConditionUpdate | undefined;
}

/** Gives a definition the names that no other one of its group has; undefined when it has all that it asks for. */
export function acceptNames(definition: Definition, all: readonly Definition[]): Naming | undefined {
  const requested = definition.spec?.names ?? {};
  const accepted = definition.status?.acceptedNames ?? {};
  if (deepEqual(requested, accepted)) return undefined;
  const used = usedNames(definition.spec?.group ?? "", all);
  const names: DefinitionNames = { ...accepted };
  let conflict: Pick<ConditionUpdate, "reason" | "message"> | undefined;
  const claim = (name: "plural" | "singular" | "kind" | "listKind", reason: string): void => {
    const wanted = requested[name] ?? "";
    const taken = (name === "plural" || name === "singular" ? used.resources : used.kinds).has(wanted);
    if (taken && wanted !== (accepted[name] ?? "")) conflict = { reason, message: inUse([wanted]) };
    else names[name] = wanted;
  };
  claim("plural", "PluralConflict");
  claim("singular", "SingularConflict");
  const acceptedShort = new Set(accepted.shortNames);
  const takenShort = (requested.shortNames ?? []).filter(
    (name) => used.resources.has(name) && !acceptedShort.has(name),
  );
  if (takenShort.length > 0) conflict = { reason: "ShortNamesConflict", message: inUse(takenShort) };
  else if (requested.shortNames === undefined) delete names.shortNames;
  else names.shortNames = requested.shortNames;
  claim("kind", "KindConflict");
  claim("listKind", "ListKindConflict");
  if (requested.categories === undefined) delete names.categories;
  else names.categories = requested.categories;
  return {
    acceptedNames: names,
    namesAccepted:
      conflict === undefined
        ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type: "NamesAccepted", status: "False", ...conflict },
    established: establishedBefore(definition, conflict === undefined),
  };
}

interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function usedNames(group: string, all: readonly Definition[]): UsedNames {
  const names = all
    .filter(({ spec }) => spec?.group === group)
    .map(({ status }) => status?.acceptedNames ?? {});
  return {
    resources: new Set(
      names.flatMap(({ plural = "", singular = "", shortNames = [] }) => [plural, singular, ...shortNames]),
    ),
    kinds: new Set(names.flatMap(({ kind = "", listKind = "" }) => [kind, listKind])),
  };
}

function inUse(names: readonly string[]): string {
  const texts = names.map((name) => `${JSON.stringify(name)} is already in use`);
  return texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
}

function establishedBefore(definition: Definition, accepted: boolean): ConditionUpdate | undefined {
  if (holds(definition, "Established")) return undefined;
  const type = "Established";
  if (accepted) {
    return { type, status: "False", reason: "Installing", message: "the initial names have been accepted" };
  }
  const known = definition.status?.conditions?.some((condition) => condition.type === type) === true;
  return known
    ? undefined
    : { type, status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}
