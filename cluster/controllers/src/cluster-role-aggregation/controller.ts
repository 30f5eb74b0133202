import { ClusterRole } from "@kedge/machinery/kinds/rbac/v1";
import { defineController, watches, type Controller, type ReconcileContext } from "@kedge/runtime";
import { aggregatedRules } from "./plan.ts";

/** Gives ClusterRoles with an aggregationRule the rules of the roles that it chooses. */
export function clusterRoleAggregationController(): Controller {
  return defineController({
    name: "clusterrole-aggregation-controller",
    for: ClusterRole,
    when: ({ aggregationRule }) => aggregationRule !== undefined,
    watches: [
      // Few gather, and any change may concern any of them.
      watches(ClusterRole, (_role, _previous, host) =>
        host.informers
          .of(ClusterRole)
          .list()
          .filter(({ aggregationRule }) => aggregationRule !== undefined)
          .map(({ metadata: { name } }) => ({ name })),
      ),
    ],
    reconcile,
  });
}

async function reconcile(context: ReconcileContext<ClusterRole>): Promise<undefined> {
  const { object: role, client } = context;
  if (role === undefined) return undefined;
  const rules = aggregatedRules(role, context.read(ClusterRole).list());
  if (rules === undefined) return undefined;
  const { name } = role.metadata;
  const fieldManager = "clusterrole-aggregation-controller";
  await client.of(ClusterRole).apply({ metadata: { name }, rules }, { fieldManager, force: true });
  return undefined;
}
