import { elementText, sortElements, type PathElement } from "./path-element.ts";

/** The way from an object to one of its fields. */
export type FieldPath = readonly PathElement[];

/** A set of fields, as a tree. An element may be a member, have members below it, or both. */
export interface FieldSet {
  readonly members: ReadonlySet<PathElement>;
  /** Never holds empty sets. */
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

/** The set without members. */
export const emptySet: FieldSet = { members: new Set(), children: new Map() };

/** Whether a set has no members at any depth. */
export function isEmptySet(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}

/** Whether a path is a member. Nobody owns the whole object: the empty path is no member. */
export function hasPath(set: FieldSet, path: FieldPath): boolean {
  const last = path.at(-1);
  if (last === undefined) return false;
  let node: FieldSet | undefined = set;
  for (const element of path.slice(0, -1)) {
    node = node.children.get(element);
    if (node === undefined) return false;
  }
  return node.members.has(last);
}

/** What begins with an element, without it. */
export function below(set: FieldSet, element: PathElement): FieldSet {
  return set.children.get(element) ?? emptySet;
}

/** Whether two sets have the same members. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.members.size !== b.members.size || a.children.size !== b.children.size) return false;
  for (const member of a.members) if (!b.members.has(member)) return false;
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other === undefined || !equalSets(child, other)) return false;
  }
  return true;
}

/** What is in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const children = new Map(a.children);
  for (const [element, child] of b.children) {
    const own = a.children.get(element);
    children.set(element, own === undefined ? child : union(own, child));
  }
  return { members: new Set([...a.members, ...b.members]), children };
}

/** What is in any of the sets. */
export function unionOf(sets: Iterable<FieldSet>): FieldSet {
  const all = newSet();
  for (const set of sets) addAll(all, set);
  return all;
}

function addAll(target: GrowingSet, set: FieldSet): void {
  for (const member of set.members) target.members.add(member);
  for (const [element, child] of set.children) {
    let own = target.children.get(element);
    if (own === undefined) {
      own = newSet();
      target.children.set(element, own);
    }
    addAll(own, child);
  }
}

/** What is in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmptySet(a) || isEmptySet(b)) return emptySet;
  const children = mapChildren(a, (child, element) => intersection(child, below(b, element)));
  return like(a, { members: filter(a.members, (member) => b.members.has(member)), children });
}

/** What is in the first set, but not in the second. A parent in the second leaves its children in the first. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return a;
  const children = mapChildren(a, (child, element) => {
    const other = b.children.get(element);
    return other === undefined ? child : difference(child, other);
  });
  return like(a, { members: filter(a.members, (member) => !b.members.has(member)), children });
}

/** What is in the first set, and neither itself nor a parent of it in the second. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return a;
  const children = mapChildren(a, (child, element) => {
    if (b.members.has(element)) return emptySet;
    const other = b.children.get(element);
    return other === undefined ? child : recursiveDifference(child, other);
  });
  return like(a, { members: filter(a.members, (member) => !b.members.has(member)), children });
}

/** The members that have no members below them. */
export function leaves(set: FieldSet): FieldSet {
  const members = filter(set.members, (member) => !set.children.has(member));
  return like(set, { members, children: mapChildren(set, leaves) });
}

/** The set of these paths. */
export function setOf(paths: Iterable<FieldPath>): FieldSet {
  const set = newSet();
  for (const path of paths) insert(set, path);
  return set;
}

/** The members in the server's order, up to a number: those of a level, then those below its elements. */
export function pathsOf(set: FieldSet, most = Infinity): readonly FieldPath[] {
  const paths: FieldPath[] = [];
  collect(set, [], { paths, most });
  return paths;
}

/** How many members a set has. */
export function sizeOf(set: FieldSet): number {
  let size = set.members.size;
  for (const child of set.children.values()) size += sizeOf(child);
  return size;
}

/** Shows a path as messages do: `.spec.containers[name="a"].image`. */
export function pathText(path: FieldPath): string {
  return path.map(elementText).join("");
}

/** A set that is still being made. */
export interface GrowingSet extends FieldSet {
  readonly members: Set<PathElement>;
  readonly children: Map<PathElement, GrowingSet>;
}

/** An empty set to insert into. */
export function newSet(): GrowingSet {
  return { members: new Set(), children: new Map() };
}

/** Adds one path; its parents do not become members. */
export function insert(set: GrowingSet, path: FieldPath): void {
  let node = set;
  for (const [index, element] of path.entries()) {
    if (index === path.length - 1) {
      node.members.add(element);
      return;
    }
    let child = node.children.get(element);
    if (child === undefined) {
      child = newSet();
      node.children.set(element, child);
    }
    node = child;
  }
}

/** The same set when nothing has changed: what is known of it still holds. */
function like(set: FieldSet, changed: FieldSet): FieldSet {
  return changed.members === set.members && changed.children === set.children ? set : changed;
}

/** Changes what is below each element, and leaves out what becomes empty. The same map when nothing changes. */
function mapChildren(
  set: FieldSet,
  change: (child: FieldSet, element: PathElement) => FieldSet,
): ReadonlyMap<PathElement, FieldSet> {
  const children = new Map<PathElement, FieldSet>();
  let isSame = true;
  for (const [element, child] of set.children) {
    const changed = change(child, element);
    if (changed !== child) isSame = false;
    if (!isEmptySet(changed)) children.set(element, changed);
  }
  return isSame ? set.children : children;
}

function filter(
  members: ReadonlySet<PathElement>,
  keep: (member: PathElement) => boolean,
): ReadonlySet<PathElement> {
  const kept = new Set<PathElement>();
  for (const member of members) if (keep(member)) kept.add(member);
  return kept.size === members.size ? members : kept;
}

function collect(
  set: FieldSet,
  prefix: FieldPath,
  into: { readonly paths: FieldPath[]; readonly most: number },
): void {
  if (into.paths.length >= into.most) return;
  for (const member of sortElements(set.members)) {
    if (into.paths.length >= into.most) return;
    into.paths.push([...prefix, member]);
  }
  for (const element of sortElements(set.children.keys())) {
    if (into.paths.length >= into.most) return;
    collect(below(set, element), [...prefix, element], into);
  }
}
