import type { Draft } from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import type { ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
} from "@kedge/machinery/kinds/rbac/v1";

/** Who operators are, and the objects that let them do their work. */
export interface RbacObjects {
  readonly serviceAccount: Draft<ServiceAccount>;
  readonly clusterRole: Draft<ClusterRole>;
  readonly clusterRoleBinding: Draft<ClusterRoleBinding>;
  /** For the Lease by which several agree on who works. */
  readonly electionRole: Draft<Role>;
  readonly electionRoleBinding: Draft<RoleBinding>;
}

/** What they are named by. */
export interface RbacNames {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Begins the names of roles and bindings. */
  readonly prefix: string;
}

const apiGroup = "rbac.authorization.k8s.io";

/** The service account of operators with the rules of `rulesOf`, in every namespace, and leader election in its own. */
export function rbacObjects(rules: readonly PolicyRule[], names: RbacNames): RbacObjects {
  const { namespace, serviceAccount, prefix } = names;
  const [manager, election] = [`${prefix}-manager-role`, `${prefix}-leader-election-role`];
  const subjects = [{ kind: "ServiceAccount", name: serviceAccount, namespace }];
  const bound = (kind: string, name: string) => ({ subjects, roleRef: { apiGroup, kind, name } });
  return {
    serviceAccount: { metadata: { name: serviceAccount, namespace } },
    clusterRole: { metadata: { name: manager }, rules: [...rules] },
    clusterRoleBinding: {
      metadata: { name: `${prefix}-manager-rolebinding` },
      ...bound("ClusterRole", manager),
    },
    electionRole: {
      metadata: { name: election, namespace },
      rules: [{ apiGroups: [Lease.group], resources: [Lease.plural], verbs: ["create", "get", "update"] }],
    },
    electionRoleBinding: {
      metadata: { name: `${prefix}-leader-election-rolebinding`, namespace },
      ...bound("Role", election),
    },
  };
}
