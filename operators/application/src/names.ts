/** Keeps an application until its clean-up is done. */
export const finalizer = "apps.example.com/finalizer";

/** On the Deployment: who says how many replicas, `application` or `autoscaler`. */
export const replicasByAnnotation = "apps.example.com/replicas-by";

/** On the Deployment, with scaling: the number that the spec said when the autoscaler took over. */
export const replicasBegunAnnotation = "apps.example.com/replicas-begun";

/** Who says how many replicas a Deployment has. */
export type ReplicasBy = "application" | "autoscaler";

/** The label with the application's name that nobody else's pods have. */
export const applicationLabel = "apps.example.com/application";

/** Labels of all that belongs to an application; they also select its pods. */
export function labelsOf(application: string): Record<string, string> {
  return { app: application, [applicationLabel]: application };
}

/** What an application's claim is called. */
export function claimNameOf(application: string, claim: string): string {
  return `${application}-${claim}`;
}
