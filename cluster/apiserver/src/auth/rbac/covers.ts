import { goQuote } from "@kedge/machinery";
import { urlCovers, type Rule } from "./rule.ts";

/** One thing that a rule allows. */
interface Right {
  readonly verb: string;
  readonly on:
    | { readonly url: string }
    | { readonly group: string; readonly resource: string; readonly name: string | undefined };
}

/** What is wanted is compared with what is held so often at most: a second of a processor would hold others up. */
const mostComparisons = 1_000_000;

/**
 * What of the wanted rules those that are held do not allow. Undefined when there is too much to compare: rules may be
 * a few lines and yet allow millions of things.
 */
export function uncovered(held: readonly Rule[], wanted: readonly Rule[]): readonly Right[] | undefined {
  const missing: Right[] = [];
  let comparisons = 0;
  for (const rule of wanted) {
    if (held.some((each) => coversWhole(each, rule))) continue;
    comparisons += (1 + sizeOf(rule)) * Math.max(1, held.length);
    if (comparisons > mostComparisons) return undefined;
    for (const right of rightsIn(rule)) {
      if (!held.some((each) => covers(each, right))) missing.push(right);
    }
  }
  return missing;
}

/** What of the wanted rules those that are held do not allow, as rules of one thing each. */
export function missingRules(held: readonly Rule[], wanted: readonly Rule[]): readonly Rule[] {
  return (uncovered(held, wanted) ?? []).map(({ verb, on }) =>
    "url" in on
      ? { verbs: [verb], nonResourceURLs: [on.url] }
      : {
          verbs: [verb],
          apiGroups: [on.group],
          resources: [on.resource],
          ...(on.name !== undefined && { resourceNames: [on.name] }),
        },
  );
}

/** Rights in the form of rules again, as refusals show them: those of one resource together, sorted. */
export function rightsText(rights: readonly Right[]): string {
  const lines = new Map<string, { readonly parts: string; readonly verbs: string[] }>();
  rights.forEach(({ on, verb }, index) => {
    if ("url" in on) {
      lines.set(`url ${index}`, { parts: `NonResourceURLs:${list([on.url])}`, verbs: [verb] });
      return;
    }
    const names = on.name === undefined ? "" : `, ResourceNames:${list([on.name])}`;
    const parts = `APIGroups:${list([on.group])}, Resources:${list([on.resource])}${names}`;
    const line = lines.get(parts) ?? { parts, verbs: [] };
    line.verbs.push(verb);
    lines.set(parts, line);
  });
  const texts = new Set(Array.from(lines.values(), ({ parts, verbs }) => `{${parts}, Verbs:${list(verbs)}}`));
  return Array.from(texts).toSorted().join("\n");
}

/** As Go prints a list of texts with `%q`. */
export function list(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(" ")}]`;
}

function sizeOf({
  verbs = [],
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: Rule): number {
  const perVerb =
    apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length;
  return verbs.length * perVerb;
}

function* rightsIn(rule: Rule): Generator<Right> {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs) for (const name of names) yield { verb, on: { group, resource, name } };
  for (const url of nonResourceURLs) for (const verb of verbs) yield { verb, on: { url } };
}

/** Whether one rule allows all that another does: most do that in the first comparison. */
function coversWhole(held: Rule, wanted: Rule): boolean {
  const { verbs = [], apiGroups = [], resources = [], nonResourceURLs = [] } = held;
  return (
    nonResourceURLs.length === 0 &&
    (wanted.nonResourceURLs ?? []).length === 0 &&
    (held.resourceNames ?? []).length === 0 &&
    all(verbs, wanted.verbs) &&
    all(apiGroups, wanted.apiGroups) &&
    all(resources, wanted.resources)
  );
}

function all(has: readonly string[], values: readonly string[] = []): boolean {
  if (has.includes("*")) return true;
  return has.length < 64 && values.length < 64 && values.every((value) => has.includes(value));
}

function covers(held: Rule, { verb, on }: Right): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = held;
  if (!hasOrAll(verbs, verb)) return false;
  if ("url" in on) return nonResourceURLs.some((url) => urlCovers(url, on.url));
  const { group, resource, name } = on;
  return (
    hasOrAll(apiGroups, group) &&
    (hasOrAll(resources, resource) || (resource.includes("/") && resources.includes(anyOf(resource)))) &&
    (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name)))
  );
}

function anyOf(resource: string): string {
  return `*${resource.slice(resource.indexOf("/"))}`;
}

function hasOrAll(values: readonly string[], wanted: string): boolean {
  return values.includes("*") || values.includes(wanted);
}
