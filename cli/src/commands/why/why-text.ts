import { conditionsOf, isConditionTrue, type Kstatus } from "@kedge/machinery";
import type { Cause } from "./cause.ts";
import { evictionsAllowed, isBudget } from "./causes/budget.ts";
import type { AnyObject } from "./situation.ts";

/** A cause with the last words of its container, where there are any. */
export interface ToldCause extends Cause {
  readonly lastWords?: readonly string[] | undefined;
}

/** More is no answer any more. */
const mostLines = 10;

/** The answer, in at most ten lines: what it is, and for each cause what shows it and what to do. */
export function whyText(target: AnyObject, status: Kstatus, causes: readonly ToldCause[]): string {
  const lines = [`${nameOf(target)} ${stateOf(target, status, causes.length > 0)}`];
  const groups = grouped(causes);
  let told = 0;
  for (const group of groups) {
    const more = linesOf(group);
    // One line is kept to say that there is more.
    if (told > 0 && lines.length + more.length > mostLines - (told < groups.length - 1 ? 1 : 0)) break;
    lines.push(...more.slice(0, mostLines - 1));
    told++;
  }
  const left = groups.length - told;
  if (left > 0) lines.push(`  and ${left} more: kubectl get events shows them`);
  return `${lines.slice(0, mostLines).join("\n")}\n`;
}

/** Why it is so, as one record for scripts. */
export function whyJson(target: AnyObject, status: Kstatus, causes: readonly ToldCause[]): string {
  const { apiVersion, kind, metadata } = target;
  const { name, namespace } = metadata;
  const answer = {
    object: { apiVersion, kind, namespace, name },
    status: status.status,
    causes: causes.map(({ about, says, evidence, fix, lastWords }) => ({
      kind: about.kind,
      namespace: about.metadata.namespace,
      name: about.metadata.name,
      says,
      evidence,
      lastWords,
      fix,
    })),
  };
  return `${JSON.stringify(answer, undefined, 2)}\n`;
}

function stateOf(target: AnyObject, status: Kstatus, hasCauses: boolean): string {
  if (status.status === "Terminating") return "is being deleted, and still there";
  if (target.kind === "Job") return stateOfJob(target, status, hasCauses);
  const evictions = isBudget(target) ? evictionsAllowed(target) : undefined;
  if (evictions !== undefined) return stateOfBudget(evictions, hasCauses);
  if (status.status === "Current")
    return hasCauses ? "says that it is ready, but:" : "is ready: nothing holds it up";
  return hasCauses ? "is not ready" : `is not ready, and nothing shows why yet: ${status.message}`;
}

/** A job is never ready: it is under way, complete, or has failed. */
function stateOfJob(job: AnyObject, status: Kstatus, hasCauses: boolean): string {
  if (isConditionTrue(conditionsOf(job), "Complete")) return "is complete: nothing holds it up";
  const state = status.status === "Failed" ? "has failed" : "is not complete";
  return hasCauses ? state : `${state}, and nothing holds it up: ${status.message}`;
}

/** A budget is not made to be ready, but to allow or refuse. */
function stateOfBudget(count: number, hasCauses: boolean): string {
  if (hasCauses) return "allows no eviction now";
  return `allows ${count} eviction${count === 1 ? "" : "s"} now: nothing holds it up`;
}

interface Group {
  readonly cause: ToldCause;
  readonly names: readonly string[];
}

/** Equal causes of several objects are one. */
function grouped(causes: readonly ToldCause[]): readonly Group[] {
  const groups = new Map<string, { cause: ToldCause; names: string[] }>();
  for (const cause of causes) {
    const { kind, metadata } = cause.about;
    const key = `${kind} ${cause.says.replaceAll(metadata.name, "*")}`;
    const group = groups.get(key) ?? { cause, names: [] };
    if (!group.names.includes(metadata.name)) group.names.push(metadata.name);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function linesOf({ cause, names }: Group): readonly string[] {
  const { about, says, evidence = [], lastWords = [], fix } = cause;
  const others = names.length - 1;
  const who = `${about.kind} ${names[0] ?? ""}${others > 0 ? ` (and ${others} more)` : ""}`;
  return [
    `  ${who} ${says}`,
    ...evidence.slice(0, 1).map((line) => `    seen: ${line}`),
    ...lastWords.slice(-3).map((line) => `    log:  ${line}`),
    ...(fix === undefined ? [] : [`    try:  ${fix}`]),
  ];
}

function nameOf({ kind, metadata: { namespace, name } }: AnyObject): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
