/** The claim was bound by the control plane, once and for all. */
export const bindCompletedAnnotation = "pv.kubernetes.io/bind-completed";
/** The control plane, not a person, chose the volume. */
export const boundByControllerAnnotation = "pv.kubernetes.io/bound-by-controller";
/** Who made a volume, and so may remove its data. */
export const provisionedByAnnotation = "pv.kubernetes.io/provisioned-by";
/** The node that the scheduler has in mind for a claim's first pod. */
export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";
/** Who is asked to make a volume for a claim. */
export const storageProvisionerAnnotation = "volume.kubernetes.io/storage-provisioner";
