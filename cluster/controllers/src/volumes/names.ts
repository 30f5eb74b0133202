/** Our provisioner, as storage classes name it. */
export const provisioner = "kedge.dev/local-path";
/** The claim was bound by the control plane, once and for all. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";
/** The control plane, not a person, chose the volume. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";
/** Who made a volume, and so may remove its data. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** The node that the scheduler has in mind for a claim's first pod. */
export const selectedNode = "volume.kubernetes.io/selected-node";
/** Who is asked to make a volume for a claim. */
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner";
/** A claim stays while a pod uses it. */
export const claimProtection = "kubernetes.io/pvc-protection";
/** A volume stays while it is bound. */
export const volumeProtection = "kubernetes.io/pv-protection";
