import { operatorRole } from "./operator-role.ts";

/**
 * What the parts of `kedge up` may do beyond what Kubernetes' own roles give them, in the form of the API server's own
 * list. The scheduler and the agents of nodes have all they need there: `system:kube-scheduler`, the node authorizer.
 */
export const ownRoles = `
ClusterRole kedge:node-services
  get,list,watch;;namespaces,nodes,pods,services
  get,list,watch;discovery.k8s.io;endpointslices
  get,list,watch;networking.k8s.io;networkpolicies
  get;storage.k8s.io;storageclasses
  get,list,patch,watch;;persistentvolumeclaims
  patch;;persistentvolumeclaims/status
  create,delete,get,list,patch,watch;;persistentvolumes
  create,patch,update;,events.k8s.io;events
ClusterRole kedge:controllers
  create,get,patch;storage.k8s.io;storageclasses
ClusterRoleBinding kedge:node-services ClusterRole/kedge:node-services Group/kedge:node-services Group/kedge:simulated-nodes
ClusterRoleBinding kedge:simulated-nodes ClusterRole/system:node Group/kedge:simulated-nodes
ClusterRoleBinding kedge:controllers ClusterRole/kedge:controllers User/system:kube-controller-manager
${controllerRoles()}
${operatorRole}
`;

/** The controllers of one manager are one user here: it has the roles of all that are in it. */
function controllerRoles(): string {
  const names = [
    "certificate-controller",
    "clusterrole-aggregation-controller",
    "cronjob-controller",
    "daemon-set-controller",
    "deployment-controller",
    "disruption-controller",
    "endpoint-controller",
    "endpointslice-controller",
    "endpointslicemirroring-controller",
    "expand-controller",
    "generic-garbage-collector",
    "horizontal-pod-autoscaler",
    "job-controller",
    "namespace-controller",
    "node-controller",
    "persistent-volume-binder",
    "pod-garbage-collector",
    "pv-protection-controller",
    "pvc-protection-controller",
    "replicaset-controller",
    "replication-controller",
    "resourcequota-controller",
    "root-ca-cert-publisher",
    "service-account-controller",
    "service-controller",
    "statefulset-controller",
    "ttl-after-finished-controller",
    "volumeattributesclass-protection-controller",
  ];
  return names
    .map((name) => {
      const role = `ClusterRole/system:controller:${name}`;
      return `ClusterRoleBinding kedge:controllers:${name} ${role} User/system:kube-controller-manager`;
    })
    .join("\n");
}
