import * as z from "zod";
import type { DeepReadonly, ObjectOf } from "@kedge/machinery";
import { conditions, coreType, defineKind, quantity } from "@kedge/schema";
import { metrics } from "./metrics-fields.ts";
import { networkPolicy, placement, podMetadata } from "./pod-fields.ts";
import { users } from "./user-fields.ts";

/** What an instance is doing. Which one is shown when several would fit: `plan/phase.ts`. */
export const redisPhases = [
  "Unknown",
  "Creating",
  "Pending",
  "Running",
  "Failed",
  "Terminated",
  "Updating",
  "Hibernated",
] as const;

/** One of `redisPhases`. */
export type RedisPhase = (typeof redisPhases)[number];

/** A primary sends each write to every replica, and to each that is new all of its data. */
const maxReplicas = 16;

const storage = z.object({
  size: quantity().default("1Gi").describe("How much room each pod gets for its data."),
  storageClassName: z
    .string()
    .min(1)
    .optional()
    .describe("The class of the volumes. Default: the cluster's default class."),
  migrate: z
    .boolean()
    .optional()
    .describe("Replace volumes that cannot shrink or change class by new ones. Default: refuse it."),
});

const secretRef = z.object({
  name: z.string().min(1).max(253).describe("The name of a Secret of the same namespace."),
  key: z.string().min(1).max(253).default("password").describe("The key of the password in it."),
});

const auth = z.object({
  enabled: z
    .boolean()
    .default(true)
    .describe("Ask clients for the password in the Secret <name>-auth. It is made when it is missing."),
  secretRef: secretRef
    .optional()
    .describe("Take the password from a Secret of yours instead, which is never written or deleted."),
  oldPasswordSeconds: z
    .int32()
    .min(0)
    .max(30 * 24 * 3600)
    .default(3600)
    .describe("For how long a password that was changed is accepted beside the new one."),
});

const spec = z.object({
  image: z.string().min(1).describe("The image of Redis, with its version: redis:7.0."),
  redisVersion: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,3}){0,2}$/u)
    .optional()
    .describe("The version that the image is expected to have: 7.0. It must agree with the image's tag."),
  replicas: z
    .int32()
    .min(1)
    .max(maxReplicas)
    .default(1)
    .describe(`How many pods, at most ${maxReplicas}: one takes writes and sends them to the others.`),
  highAvailability: z
    .boolean()
    .optional()
    .describe("Insist on failover: fewer than three replicas are refused. Default: false."),
  durability: z
    .enum(["cache", "normal", "strict"])
    .default("normal")
    .describe(
      "How much of what was acknowledged may be lost when servers are: docs/guide/redis-durability.md.",
    ),
  resources: coreType("ResourceRequirements").optional().describe("CPU and memory of each pod."),
  storage: storage.prefault({}).describe("The volume of each pod."),
  config: z
    .record(z.string(), z.string())
    .optional()
    .describe("Directives of redis.conf, such as maxmemory-policy: allkeys-lru."),
  auth: auth.prefault({}).describe("Who may connect."),
  users: users.optional().describe("Who may connect beside the user default, and what they may do."),
  placement: placement.optional().describe("Which nodes the pods may have. Default: spread over all."),
  priorityClassName: z.string().min(1).optional().describe("The PriorityClass of the pods."),
  podMetadata: podMetadata.optional().describe("What the pods carry beside the operator's own labels."),
  networkPolicy: networkPolicy.optional().describe("Who may connect by the network. Default: everybody."),
  metrics: metrics.optional().describe("Metrics of the servers, for Prometheus. Default: none."),
  suspend: z
    .boolean()
    .optional()
    .describe("The operator leaves everything as it is until this is false: it repairs nothing either."),
  hibernate: z
    .boolean()
    .optional()
    .describe("No pods until this is false. The volumes, and with them the data, stay."),
  deletionPolicy: z
    .enum(["Retain", "Delete"])
    .default("Retain")
    .describe("What becomes of the volumes, and so of the data, when the instance is deleted."),
});

const replicationStatus = z.object({
  epoch: z
    .int()
    .describe(
      "Grows with each change of the primary. Servers obey no operator that believes in an older one.",
    ),
  primary: z.string().describe("The pod that takes writes."),
  target: z.string().optional().describe("The pod that a switchover is leading to."),
  served: z
    .int()
    .optional()
    .describe("The newest epoch whose primary was seen serving: no server with older data is promoted."),
  historyId: z.string().optional().describe("The stream of writes of the primary, as Redis names it."),
  offset: z.int().optional().describe("How far that stream had come when this was written, in bytes."),
  cause: z.string().optional().describe("Why the primary changed."),
  since: z.string().optional().describe("When this epoch began."),
  givenUp: z
    .object({
      times: z.int().describe("How often, one after the other. The more, the longer until the next try."),
      at: z.string().describe("When, the last time."),
      why: z.string().describe("Why, the last time."),
    })
    .optional()
    .describe("Switchovers that did not come about since the last one that did."),
});

const serverStatus = z.object({
  pod: z.string().describe("The pod of the server."),
  role: z
    .enum(["primary", "replica", "held", "unknown"])
    .describe("What it is: held is a server that was started and not admitted yet."),
  link: z
    .enum(["up", "down", "syncing"])
    .optional()
    .describe("Of a replica: how its link to the primary is."),
  lagBytes: z.int().optional().describe("Of a replica: how far it is behind; less than 1 MiB is 0."),
  memory: z.string().optional().describe("What its data takes, to a tenth."),
  keys: z.int().optional().describe("How many keys it has, to a tenth."),
  version: z.string().optional().describe("What it runs: redis 7.0.15."),
});

/** A server, as the status tells of it. */
export type ServerStatus = z.infer<typeof serverStatus>;

/** Who is the primary, and by which right. */
export type ReplicationStatus = z.infer<typeof replicationStatus>;

const status = z.object({
  status: z.enum(redisPhases).optional().describe("The phase: what the instance is doing."),
  ready: z.enum(["True", "False"]).optional().describe("Whether all of it runs as the spec says."),
  readyReplicas: z.string().optional().describe("How many pods are ready, of how many: 2/3."),
  replicas: z.int32().optional().describe("How many pods there are."),
  selector: z.string().optional().describe("The pods' labels, for the subresource scale."),
  lastConditionMessage: z.string().optional().describe("Why it is in this phase."),
  binding: z
    .object({ name: z.string().describe("The Secret with host, port, uri, username and password.") })
    .optional()
    .describe("What applications bind to, as servicebinding.io says."),
  version: z.string().optional().describe("What the primary runs: redis 7.0.15."),
  usedMemory: z.string().optional().describe("What the data takes in the primary, to a tenth."),
  keys: z.int().optional().describe("How many keys the primary has, to a tenth."),
  servers: z.array(serverStatus).optional().describe("Each server, as it was when something of it changed."),
  replication: replicationStatus
    .optional()
    .describe("Who is the primary. Taken by compare-and-swap before any server is told."),
  conditions: conditions().optional(),
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
});

/** A Redis server with volumes, or a primary with replicas. */
export const RedisInstance = defineKind({
  group: "redis.github.com",
  version: "v1",
  kind: "RedisInstance",
  plural: "redisinstances",
  singular: "redisinstance",
  shortNames: ["ri"],
  categories: ["all", "kedge"],
  scope: "Namespaced",
  description: "A Redis server with a volume; with more than one replica, a primary and its replicas.",
  // A Service's name begins with a letter; a StatefulSet puts the name and a hash of 11 characters into a label.
  name: z
    .string()
    .max(52)
    .regex(/^[a-z]([-a-z0-9]*[a-z0-9])?$/u),
  spec,
  status,
  printColumns: [
    { name: "Status", type: "string", jsonPath: ".status.status", description: "What it is doing" },
    { name: "Ready", type: "string", jsonPath: ".status.readyReplicas", description: "Ready pods of all" },
    { name: "Primary", type: "string", jsonPath: ".status.replication.primary", description: "Takes writes" },
    { name: "Version", type: "string", jsonPath: ".status.version", description: "What the primary runs" },
    { name: "Memory", type: "string", jsonPath: ".status.usedMemory", priority: 1 },
    { name: "Keys", type: "integer", jsonPath: ".status.keys", priority: 1 },
    { name: "Image", type: "string", jsonPath: ".spec.image", priority: 1 },
    { name: "Message", type: "string", jsonPath: ".status.lastConditionMessage", priority: 1 },
  ],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
});

/** A RedisInstance as the server answers it. */
export type RedisInstance = ObjectOf<typeof RedisInstance>;

/** What a user wants, with defaults. */
export type InstanceSpec = DeepReadonly<RedisInstance["spec"]>;
