import { buildCommand } from "@stricli/core";
import type { KedgeContext } from "../../context.ts";
import { parseAddress } from "../../parse-address.ts";
import { logLevels } from "./log-levels.ts";
import type { OperatorFlags } from "./run.ts";

/** `kedge operator` */
export const operatorCommand = buildCommand<OperatorFlags, [], KedgeContext>({
  loader: async () => {
    const { runOperator } = await import("./run.ts");
    return function (flags) {
      return runOperator(this, flags);
    };
  },
  parameters: {
    flags: {
      kubeconfig: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "file",
        brief: "Which cluster; else KUBECONFIG, the pod's service account, ~/.kube/config",
      },
      namespace: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name",
        brief: "Look only at this namespace; may be repeated. Default: all",
      },
      controllers: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "list",
        brief: "Which operators, such as redis, separated by commas. Default: all",
      },
      healthAddress: {
        kind: "parsed",
        parse: parseAddress,
        default: ":8080",
        placeholder: "host:port",
        brief: "/healthz and /readyz; without a host on all addresses, port 0 is any free one",
      },
      metricsAddress: {
        kind: "parsed",
        parse: parseAddress,
        default: ":9090",
        placeholder: "host:port",
        brief: "/metrics",
      },
      leaderElect: {
        kind: "boolean",
        default: true,
        brief: "Of several, let one at a time work; the others stand by",
      },
      leaderElectNamespace: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "name",
        brief: "Where they agree on it, by a Lease. Default: the pod's namespace, or the kubeconfig's",
      },
      sentinelAddress: {
        kind: "parsed",
        parse: parseAddress,
        optional: true,
        placeholder: "host:port",
        brief: "Answer clients that look for their Redis primary by Sentinel's protocol. Default: not",
      },
      logLevel: {
        kind: "enum",
        values: logLevels,
        default: "info",
        brief: "How much is logged; debug tells of every run, info of every change that is made",
      },
    },
  },
  docs: {
    brief: "Run the operators against a cluster",
    fullDescription: [
      "Runs the operators against any cluster, until Ctrl-C. Their kinds must be installed:",
      "  kubectl apply -f config/crd/bases/",
      "",
      "EXAMPLES",
      "  kedge operator --kubeconfig .kedge/kubeconfig",
      "  kedge operator --controllers redis --namespace staging --namespace production",
      "  kedge operator --no-leader-elect      with no other one on this cluster",
      "  kedge operator --sentinel-address :26379",
      "  kedge operator --log-level debug --health-address 127.0.0.1:8081 --metrics-address :9090",
    ].join("\n"),
  },
});
