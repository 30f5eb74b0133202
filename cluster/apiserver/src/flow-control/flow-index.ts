import type { Attributes } from "../auth/types.ts";
import { keysOf } from "./subject-keys.ts";
import type { FlowRule, FlowSchema, NonResourceRule, ResourceRule } from "./types.ts";

/** A schema, with those of its rules that are for one subject. */
interface Entry {
  readonly schema: FlowSchema;
  readonly rules: readonly FlowRule[];
}

/** What was found among more than so many rules is remembered, for so many questions of at most so many characters. */
const [manyRules, mostAnswers, longestQuestion] = [32, 4096, 2000];

/**
 * All FlowSchemas by the subjects of their rules: a request looks only at rules for its user, in the order in which they
 * count. Where those are many, its answer is remembered until a schema changes.
 */
export class FlowIndex {
  readonly #schemas = new Map<string, FlowSchema>();
  /** By key of the subject, in the order in which they count. */
  readonly #entries = new Map<string, Entry[]>();
  readonly #answers = new Map<string, FlowSchema | undefined>();
  readonly #counts: (schema: FlowSchema) => boolean;

  /** `counts` says whether a schema's level is there: others are passed over. `forget` when that changes. */
  constructor(counts: (schema: FlowSchema) => boolean) {
    this.#counts = counts;
  }

  set(schema: FlowSchema): void {
    this.delete(schema.name);
    this.#schemas.set(schema.name, schema);
    for (const [subject, rules] of bySubject(schema)) insert(this.#entriesOf(subject), { schema, rules });
  }

  delete(name: string): void {
    this.forget();
    const old = this.#schemas.get(name);
    if (old === undefined) return;
    this.#schemas.delete(name);
    for (const subject of new Set(old.rules.flatMap(({ subjects }) => subjects))) {
      const rest = this.#entriesOf(subject).filter(({ schema }) => schema !== old);
      if (rest.length === 0) this.#entries.delete(subject);
      else this.#entries.set(subject, rest);
    }
  }

  get(name: string): FlowSchema | undefined {
    return this.#schemas.get(name);
  }

  forget(): void {
    this.#answers.clear();
  }

  /** The schema that a request belongs to: of those that match, the first. */
  match(attributes: Attributes): FlowSchema | undefined {
    const lists: (readonly Entry[])[] = [];
    let rules = 0;
    for (const key of keysOf(attributes.user)) {
      const list = this.#entries.get(key);
      if (list === undefined) continue;
      lists.push(list);
      for (const entry of list) if ((rules += entry.rules.length) > manyRules) break;
    }
    if (rules <= manyRules) return this.#firstOf(lists, attributes);
    const question = questionOf(attributes);
    if (this.#answers.has(question)) return this.#answers.get(question);
    const answer = this.#firstOf(lists, attributes);
    if (question.length > longestQuestion) return answer;
    if (this.#answers.size >= mostAnswers) this.#answers.clear();
    this.#answers.set(question, answer);
    return answer;
  }

  #firstOf(lists: readonly (readonly Entry[])[], attributes: Attributes): FlowSchema | undefined {
    let first: FlowSchema | undefined;
    for (const list of lists) {
      for (const { schema, rules } of list) {
        if (first !== undefined && before(schema, first) >= 0) break;
        if (this.#counts(schema) && rules.some((rule) => matches(rule, attributes))) first = schema;
      }
    }
    return first;
  }

  #entriesOf(subject: string): Entry[] {
    const list = this.#entries.get(subject) ?? [];
    this.#entries.set(subject, list);
    return list;
  }
}

function bySubject({ rules }: FlowSchema): ReadonlyMap<string, readonly FlowRule[]> {
  const found = new Map<string, FlowRule[]>();
  for (const rule of rules) {
    for (const subject of new Set(rule.subjects)) {
      const its = found.get(subject);
      if (its === undefined) found.set(subject, [rule]);
      else its.push(rule);
    }
  }
  return found;
}

function before(one: FlowSchema, other: FlowSchema): number {
  if (one === other) return 0;
  return one.precedence - other.precedence || (one.name < other.name ? -1 : 1);
}

/** Behind all that come before it. */
function insert(list: Entry[], entry: Entry): void {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = list[middle];
    if (other !== undefined && before(other.schema, entry.schema) < 0) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, entry);
}

function questionOf({ user, verb, resource, path }: Attributes): string {
  const what =
    resource === undefined
      ? [path]
      : [resource.group, resource.plural, resource.subresource, resource.namespace];
  return JSON.stringify([verb, user.name, user.groups, ...what]);
}

function matches({ resourceRules, nonResourceRules }: FlowRule, attributes: Attributes): boolean {
  const { resource } = attributes;
  return resource === undefined
    ? nonResourceRules.some((rule) => isForPath(rule, attributes))
    : resourceRules.some((rule) => isForResource(rule, attributes.verb, resource));
}

function isForResource(
  { verbs, apiGroups, resources, namespaces, clusterScope }: ResourceRule,
  verb: string,
  { group, plural, subresource, namespace }: NonNullable<Attributes["resource"]>,
): boolean {
  return (
    has(verbs, verb) &&
    has(resources, subresource === "" ? plural : `${plural}/${subresource}`) &&
    has(apiGroups, group) &&
    (namespace === "" ? clusterScope : has(namespaces, namespace))
  );
}

function isForPath(
  { verbs, paths, prefixes, longestPrefix }: NonResourceRule,
  { verb, path }: Attributes,
): boolean {
  if (!has(verbs, verb)) return false;
  if (has(paths, path)) return true;
  for (let end = path.indexOf("/") + 1; end > 0 && end <= longestPrefix; end = path.indexOf("/", end) + 1)
    if (prefixes.has(path.slice(0, end))) return true;
  return false;
}

function has(list: ReadonlySet<string>, value: string): boolean {
  return list.has(value) || list.has("*");
}
