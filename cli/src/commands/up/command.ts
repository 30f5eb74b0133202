import { buildCommand } from "@stricli/core";
import { dirFlag } from "../../cluster-flags.ts";
import type { KedgeContext } from "../../context.ts";
import type { PodRuntime } from "../../cluster/pod-runtime.ts";
import { gracePeriodRange, parseGracePeriod } from "../../parse-grace-period.ts";
import { parseNodes } from "../../parse-nodes.ts";
import { parsePort } from "../../parse-port.ts";
import type { UpFlags } from "./flags.ts";

/** Named here so that `kedge --help` need not load what chooses one. */
const podRuntimes = ["runc", "simulated"] as const satisfies readonly PodRuntime[];

/** `kedge up` */
export const upCommand = buildCommand<UpFlags, [], KedgeContext>({
  loader: async () => {
    const { runUp } = await import("./run.ts");
    return function (flags) {
      return runUp(this, flags);
    };
  },
  parameters: {
    flags: {
      dir: { ...dirFlag, brief: "Where the cluster keeps its state" },
      port: {
        kind: "parsed",
        parse: (text) => parsePort(text),
        optional: true,
        placeholder: "port",
        brief: "Where the API server listens on 127.0.0.1. Default: 6443, or a free one",
      },
      nodes: {
        kind: "parsed",
        parse: parseNodes,
        optional: true,
        placeholder: "count",
        brief: "How many nodes, each with a network of its own. Default: as many as the cluster has, else 1",
      },
      store: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "where",
        brief:
          "What keeps the objects: lmdb (a folder), memory, or etcd://host:port,…. Default: what the cluster has, else lmdb",
      },
      encryptionProviderConfig: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "file",
        brief:
          "An EncryptionConfiguration with the keys that Secrets are encrypted with. Default: what the cluster has",
      },
      auditPolicyFile: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "file",
        brief:
          "An audit.k8s.io/v1 Policy: which requests are told in audit/audit.log of the folder. Default: what the cluster has",
      },
      runtime: {
        kind: "enum",
        values: podRuntimes,
        optional: true,
        brief:
          "What runs pods: containers, or nothing (simulated). Default: what the cluster has, else runc for root",
      },
      nodeMonitorGracePeriod: {
        kind: "parsed",
        parse: parseGracePeriod,
        optional: true,
        placeholder: "seconds",
        brief: `How long a node may be silent until it is not ready, ${gracePeriodRange}. Default: 50s, as Kubernetes has it`,
      },
      operators: { kind: "boolean", default: true, brief: "Run the Redis and the Application operator" },
      sample: {
        kind: "boolean",
        default: true,
        brief: "Create the RedisInstance `sample` on the first start",
      },
      detach: {
        kind: "boolean",
        default: false,
        brief: "Return when it is ready, and go on in the background",
      },
      exposeNodePorts: {
        kind: "boolean",
        default: false,
        brief: "Let other machines connect to node ports; otherwise only this machine and the pods can",
      },
      imageAlias: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name=image",
        brief:
          "Run another image under this name, such as nginx:latest=kedge.dev/echo:1. It is remembered; name=name ends it",
      },
      schedulerConfig: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "file",
        brief:
          "A KubeSchedulerConfiguration with profiles that pods ask for by spec.schedulerName. It is remembered",
      },
    },
  },
  docs: {
    brief: "Start a Kubernetes cluster on this machine, with the operators",
    fullDescription: [
      "Starts the embedded cluster: API server, controllers, scheduler and nodes with real containers, then the",
      "operators and a sample RedisInstance. Stays until Ctrl-C, which stops everything; the data stays in the folder.",
      "Containers need root on Linux. What is missing of runc, conmon, ip and nft is fetched into Kedge's own cache",
      "folder. Without root, or with --runtime simulated, pods are simulated: they get ready, crash or finish as their",
      "annotations say (kedge.dev/simulate), but nothing runs in them.",
      "",
      "With --store etcd://host:port,host:port/prefix an etcd of yours keeps the objects, below /kedge unless a prefix is",
      "given. TLS: ?cafile=FILE, and &certfile=FILE&keyfile=FILE where it asks who we are.",
      "",
      "EXAMPLES",
      "  kedge up",
      "  kedge up --detach && kedge status",
      "  kedge up --nodes 3",
      "  kedge up --runtime simulated --nodes 100 --no-sample",
      "  kedge up --store 'etcd://a:2379,b:2379,c:2379?cafile=ca.crt&certfile=me.crt&keyfile=me.key'",
      "  kedge up --dir /tmp/other --port 7443 --no-sample",
    ].join("\n"),
  },
});
