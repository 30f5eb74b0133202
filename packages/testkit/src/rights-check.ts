import type { Asked } from "@kedge/apiserver";
import type { PolicyRule } from "@kedge/machinery/kinds/rbac/v1";

/**
 * Compares what operators ask of the server with what their roles would let them. They are let do everything all the
 * same, so that a run does not depend on it, and what they had no right to is told with the way out.
 */
export class RightsCheck {
  readonly #onFailure: (error: unknown) => void;
  readonly #granted = new Map<string, ReadonlySet<string>>();
  readonly #asked = new Map<string, Set<string>>();

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** As whom an operator asks. */
  static userOf(operator: string): { readonly name: string; readonly groups: readonly string[] } {
    return { name: `operator:${operator}`, groups: ["system:masters", "system:authenticated"] };
  }

  /** What an operator's role has. */
  grant(operator: string, rules: readonly PolicyRule[]): void {
    const all = rules.flatMap(({ verbs, apiGroups, resources }) =>
      verbs.flatMap((verb) =>
        (resources ?? []).map((name) => `${verb} ${named(apiGroups?.[0] ?? "", name)}`),
      ),
    );
    this.#granted.set(operator, new Set(all));
  }

  /** Notes a request, and fails the test if an operator had no right to it. */
  note({ user, verb, resource }: Asked): void {
    if (resource === undefined || !user.name.startsWith("operator:")) return;
    const operator = user.name.slice("operator:".length);
    const { group, plural, subresource } = resource;
    const right = `${verb} ${named(group, subresource === "" ? plural : `${plural}/${subresource}`)}`;
    const asked = this.#asked.get(operator) ?? new Set();
    this.#asked.set(operator, asked);
    if (asked.has(right)) return;
    asked.add(right);
    if (this.#granted.get(operator)?.has(right) === true) return;
    this.#onFailure(
      new Error(
        `operator ${operator}: has no right to ${right}; add may(["${verb}"], …) to its \`rights\`, or do without`,
      ),
    );
  }

  /** Of what an operator may, what it has not asked for. */
  unusedBy(operator: string): readonly string[] {
    const asked = this.#asked.get(operator);
    return [...(this.#granted.get(operator) ?? [])].filter((right) => asked?.has(right) !== true);
  }
}

function named(group: string, resource: string): string {
  return group === "" ? resource : `${resource}.${group}`;
}
