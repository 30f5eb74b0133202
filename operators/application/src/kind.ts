import * as z from "zod";
import type { ObjectOf } from "@kedge/machinery";
import { conditions, coreType, defineKind, listMap, listSet, quantity, rule } from "@kedge/schema";

/** What an application is doing. Which one is shown when several would fit: `plan/phase.ts`. */
const applicationPhases = ["Creating", "Running", "Scaling", "Updating", "Failed"] as const;

/** One of `applicationPhases`. */
export type ApplicationPhase = (typeof applicationPhases)[number];

const healthCheck = z.object({
  livenessProbe: coreType("Probe").optional().describe("When it fails the container is restarted."),
  readinessProbe: coreType("Probe").optional().describe("While it fails the pod gets no traffic."),
  startupProbe: coreType("Probe").optional().describe("Until it succeeds the other probes wait."),
});

const percentage = z.int32().min(1);

const scalingFields = z.object({
  minReplicas: z.int32().min(1).default(1).describe("Never fewer pods than this."),
  maxReplicas: z.int32().min(1).describe("Never more pods than this."),
  targetCPUUtilizationPercentage: percentage
    .optional()
    .describe("Add pods when they use more of the CPU that they request."),
  targetMemoryUtilizationPercentage: percentage
    .optional()
    .describe("Add pods when they use more of the memory that they request."),
});

const scaling = rule(scalingFields, {
  rule: "self.minReplicas <= self.maxReplicas",
  messageExpression:
    "'must not be less than minReplicas: %d < %d'.format([self.maxReplicas, self.minReplicas])",
  message: "must not be less than minReplicas",
  fieldPath: ".maxReplicas",
});

const claim = z.object({
  name: z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u)
    .describe("The claim is called <application>-<name>."),
  size: quantity().describe("How much room."),
  accessModes: z
    .array(z.enum(["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]))
    .min(1)
    .default(["ReadWriteOnce"])
    .describe("Who may mount it at the same time."),
  storageClassName: z
    .string()
    .min(1)
    .optional()
    .describe("The class of the volume. Default: the cluster's default class."),
  mountPath: z
    .string()
    .min(1)
    .regex(/^\/[^:]*$/u)
    .optional()
    .describe("Where the pods see it. Default: /data/<name>."),
});

const storage = z.object({
  persistentVolumeClaims: listMap(claim, "name").optional().describe("Volumes that all pods share."),
});

const network = z.object({
  serviceType: z
    .enum(["ClusterIP", "NodePort", "LoadBalancer"])
    .default("ClusterIP")
    .describe("Who can reach the application."),
  loadBalancer: z
    .object({
      sourceRanges: listSet(z.string().min(1))
        .optional()
        .describe("From which addresses the load balancer takes connections: 10.0.0.0/8."),
    })
    .optional()
    .describe("Only with serviceType LoadBalancer."),
});

const security = z.object({
  serviceAccount: z.string().min(1).optional().describe("Whom the pods are to the API server."),
  securityContext: coreType("PodSecurityContext").optional().describe("As whom the processes run."),
  imagePullSecrets: z
    .array(coreType("LocalObjectReference"))
    .optional()
    .describe("Secrets with the passwords of registries."),
});

const spec = z.object({
  replicas: z.int32().min(0).default(1).describe("How many pods; with scaling, how many to begin with."),
  image: z.string().min(1).describe("The image of the container."),
  port: z
    .int32()
    .min(1)
    .max(65_535)
    .optional()
    .describe(
      "The port that the container listens on and the Service offers. Without it there is no Service.",
    ),
  environment: listMap(coreType("EnvVar"), "name").optional().describe("Environment variables."),
  resources: coreType("ResourceRequirements").optional().describe("CPU and memory of each pod."),
  healthCheck: healthCheck.optional().describe("How to find out whether a pod works."),
  scaling: scaling.optional().describe("Let the number of pods follow the load."),
  storage: storage.optional().describe("Where data outlives pods."),
  network: network.prefault({}).describe("How the application is reached."),
  security: security.optional().describe("What the application may do."),
  deletionPolicy: z
    .enum(["Retain", "Delete"])
    .default("Retain")
    .describe("What becomes of the claims, and so of the data, when the application is deleted."),
});

const status = z.object({
  phase: z.enum(applicationPhases).optional().describe("What the application is doing."),
  readyReplicas: z.string().optional().describe("How many pods are ready, of how many: 2/3."),
  replicas: z.int32().optional().describe("How many pods there are."),
  selector: z.string().optional().describe("The pods' labels, for the subresource scale."),
  message: z.string().optional().describe("Why it is in this phase."),
  conditions: conditions().optional(),
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
});

/** A program in a container, with what it takes to run, scale, reach and keep it. */
export const Application = defineKind({
  group: "apps.example.com",
  version: "v1alpha1",
  kind: "Application",
  plural: "applications",
  singular: "application",
  shortNames: ["app"],
  categories: ["all", "kedge"],
  scope: "Namespaced",
  description: "A program in a container, with what it takes to run, scale, reach and keep it.",
  // Its Service has the same name, and that begins with a letter.
  name: z
    .string()
    .max(63)
    .regex(/^[a-z]([-a-z0-9]*[a-z0-9])?$/u),
  spec,
  status,
  printColumns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase", description: "What it is doing" },
    { name: "Ready", type: "string", jsonPath: ".status.readyReplicas", description: "Ready pods of all" },
    { name: "Image", type: "string", jsonPath: ".spec.image", priority: 1 },
    { name: "Message", type: "string", jsonPath: ".status.message", priority: 1 },
  ],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
});

/** An Application as the server answers it. */
export type Application = ObjectOf<typeof Application>;
