import type { ApplyObject, DeleteOptions } from "@kedge/client";
import type { DeepReadonly, Kind, KubeObject, Scope } from "@kedge/machinery";
import { deleteChild as deleteExactly, type ChildToDelete } from "../controller/delete-child.ts";
import type { ApplyChildOptions, ReconcileContext } from "../controller/types.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";

/** Makes a child, or makes it what it should be: `run.apply` with the reconciled object as its owner. */
export interface ApplyChild {
  readonly type: "apply";
  readonly kind: Kind<unknown>;
  readonly object: DeepReadonly<ApplyObject<KubeObject>>;
  readonly options: Omit<ApplyChildOptions, "owner">;
}

/** Deletes that very child; one that is gone already is fine. */
export interface DeleteChild {
  readonly type: "delete";
  readonly kind: Kind<unknown>;
  readonly child: ChildToDelete;
  readonly options: Pick<DeleteOptions, "propagation">;
}

/** What a plan may ask for without an `act` of its own. */
export type ChildAction = ApplyChild | DeleteChild;

/** Plans that a child is made, or made what it should be. Without a namespace it is in its owner's. */
export function applyChild<K, S extends Scope, Sub extends string>(
  kind: Kind<K, S, Sub>,
  object: DeepReadonly<ApplyObject<K>>,
  options: ApplyChild["options"] = {},
): ApplyChild {
  return { type: "apply", kind, object: promised<ApplyChild["object"]>(object), options };
}

/** Plans that a child is deleted: this one (its `metadata` will do), not another that has its name by then. */
export function deleteChild<K, S extends Scope, Sub extends string>(
  kind: Kind<K, S, Sub>,
  { namespace, name, uid }: ChildToDelete,
  options: DeleteChild["options"] = {},
): DeleteChild {
  return { type: "delete", kind, child: { namespace, name, uid }, options };
}

/** Whether an action is one of the two. */
export function isChildAction(action: { readonly type: string }): action is ChildAction {
  return (action.type === "apply" || action.type === "delete") && "kind" in action && "options" in action;
}

/** Does it. Doing it again does no harm. */
export async function actOnChild<T>(
  action: ChildAction,
  context: ReconcileContext<T>,
  owner: StoredView,
): Promise<void> {
  const kind = promised<Kind<StoredView>>(action.kind);
  const { namespace } = kind.scope === "Cluster" ? {} : owner.metadata;
  if (action.type === "delete") {
    await deleteExactly(
      context,
      kind,
      { ...action.child, namespace: action.child.namespace ?? namespace },
      action.options,
    );
    return;
  }
  const object = namespace === undefined ? action.object : inNamespace(action.object, namespace);
  await context.apply(kind, promised<ApplyObject<StoredView>>(object), { ...action.options, owner });
}

function inNamespace(object: ApplyChild["object"], namespace: string): object {
  return { ...object, metadata: { namespace, ...object.metadata } };
}

/** What a plan applies of a kind: for tests of plans. */
export function appliedIn<K, S extends Scope, Sub extends string>(
  { actions }: { readonly actions: readonly { readonly type: string }[] },
  kind: Kind<K, S, Sub>,
): readonly DeepReadonly<ApplyObject<K>>[] {
  return actions.flatMap((action) =>
    isChildAction(action) && action.type === "apply" && action.kind === kind
      ? [promised<DeepReadonly<ApplyObject<K>>>(action.object)]
      : [],
  );
}

/** An action in words, for logs and tests: `apply Service cache`. */
export function actionText(action: { readonly type: string }): string {
  if (!isChildAction(action)) return action.type;
  const { name } = action.type === "apply" ? promised<StoredView>(action.object).metadata : action.child;
  return `${action.type} ${action.kind.kind} ${name}`;
}
