/**
 * The rights of the operators, as `operator-rights.ts` finds them: written down here because the server, which needs
 * them when it starts, does not load operators for that. `vitest run -u cli/src/cluster/operator-role.test.ts` writes
 * it anew.
 */
export const operatorRole = `
ClusterRole operator-manager-role
  create,delete,get,list,patch,watch;;configmaps,persistentvolumeclaims,services
  create,list,patch,watch;;events
  delete,get,list,patch,watch;;pods
  create,get,list,patch,watch;;secrets
  get;apps;controllerrevisions
  create,get,list,patch,watch;apps;deployments
  create,delete,get,list,patch,watch;apps;statefulsets
  list,patch,watch;apps.example.com;applications
  update;apps.example.com;applications/finalizers
  patch;apps.example.com;applications/status
  create,delete,get,list,patch,watch;autoscaling;horizontalpodautoscalers
  create,delete,get,list,patch,watch;monitoring.coreos.com;prometheusrules,servicemonitors
  create,delete,get,list,patch,watch;networking.k8s.io;networkpolicies
  create,delete,get,list,patch,watch;policy;poddisruptionbudgets
  get,list,patch,watch;redis.github.com;redisinstances
  update;redis.github.com;redisinstances/finalizers
  patch;redis.github.com;redisinstances/status
  list,watch;storage.k8s.io;storageclasses
ClusterRoleBinding operator-manager-rolebinding ClusterRole/operator-manager-role ServiceAccount/operator-system/operator-controller-manager
`;
