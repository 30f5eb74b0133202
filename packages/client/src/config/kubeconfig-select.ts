import { ClientError } from "../client-error.ts";
import type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigUser } from "./kubeconfig-types.ts";
import { fieldOf, placeError } from "./place.ts";

/** What is wanted of a kubeconfig; what is left out comes from its current context. */
export interface Selection {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
}

/** The entries that a client is made of. */
export interface Selected {
  readonly cluster: KubeconfigCluster;
  /** Undefined: nobody in particular. */
  readonly user: KubeconfigUser | undefined;
  readonly namespace: string;
  /** For messages: `context "prod" of /home/me/.kube/config`. */
  readonly source: string;
}

/** Finds the entries of a context. A name that is not there is an error that lists those that are. */
export function selectFrom(kubeconfig: Kubeconfig, selection: Selection): Selected {
  const name = given(selection.context) ?? kubeconfig.currentContext;
  const clusterName = given(selection.cluster);
  // A cluster that was named needs no context.
  const context = name === undefined && clusterName !== undefined ? undefined : findContext(kubeconfig, name);
  return {
    cluster: findCluster(kubeconfig, context, clusterName),
    user: findUser(kubeconfig, context, given(selection.user)),
    namespace: given(selection.namespace) ?? context?.namespace ?? "default",
    source: `${name === undefined ? `cluster "${clusterName}"` : `context "${name}"`} of ${filesOf(kubeconfig)}`,
  };
}

/** Command lines pass on an empty string for what was not given. */
function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function findContext(kubeconfig: Kubeconfig, name: string | undefined): KubeconfigContext {
  if (name === undefined) {
    throw new ClientError(
      "CONFIG",
      `${filesOf(kubeconfig)}: current-context: must be set; ${listOf("contexts", kubeconfig.contexts)}`,
      { hint: "name a context, or choose one with: kubectl config use-context NAME" },
    );
  }
  return kubeconfig.contexts.get(name) ?? missing(kubeconfig, "context", name);
}

function findCluster(
  kubeconfig: Kubeconfig,
  context: KubeconfigContext | undefined,
  wanted: string | undefined,
): KubeconfigCluster {
  if (wanted !== undefined) return kubeconfig.clusters.get(wanted) ?? missing(kubeconfig, "cluster", wanted);
  const cluster = context?.cluster === undefined ? undefined : kubeconfig.clusters.get(context.cluster);
  return cluster ?? dangling(kubeconfig, context, "cluster");
}

function findUser(
  kubeconfig: Kubeconfig,
  context: KubeconfigContext | undefined,
  wanted: string | undefined,
): KubeconfigUser | undefined {
  if (wanted !== undefined) return kubeconfig.users.get(wanted) ?? missing(kubeconfig, "user", wanted);
  if (context?.user === undefined) return undefined;
  return kubeconfig.users.get(context.user) ?? dangling(kubeconfig, context, "user");
}

type Sort = "context" | "cluster" | "user";

function missing(kubeconfig: Kubeconfig, sort: Sort, name: string): never {
  const there = listOf(`${sort}s`, kubeconfig[`${sort}s`]);
  throw new ClientError("CONFIG", `${filesOf(kubeconfig)}: ${sort} "${name}" does not exist; ${there}`);
}

/** kubectl would go on as nobody, or to localhost: nobody has ever meant that. */
function dangling(
  kubeconfig: Kubeconfig,
  context: KubeconfigContext | undefined,
  sort: "cluster" | "user",
): never {
  if (context === undefined) throw new ClientError("CONFIG", `${filesOf(kubeconfig)}: no ${sort} was named`);
  const there = listOf(`${sort}s`, kubeconfig[`${sort}s`]);
  const name = context[sort];
  const rule = name === undefined ? "must be set" : `${sort} "${name}" does not exist`;
  throw placeError(fieldOf(context.place, sort), rule, { detail: there });
}

function listOf(what: string, entries: ReadonlyMap<string, unknown>): string {
  const names = [...entries.keys()].toSorted();
  return names.length === 0 ? `there are no ${what}` : `${what} there: ${names.join(", ")}`;
}

function filesOf(kubeconfig: Kubeconfig): string {
  return kubeconfig.files.join(", ");
}
