import { buildCommand } from "@stricli/core";
import type { KedgeContext } from "../../context.ts";
import { parsePort } from "../../parse-port.ts";
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
        brief: "redis, application or both, separated by commas. Default: both",
      },
      healthPort: {
        kind: "parsed",
        parse: (text) => parsePort(text, true),
        default: "8080",
        placeholder: "port",
        brief: "/healthz and /readyz; 0: any free port",
      },
      metricsPort: {
        kind: "parsed",
        parse: (text) => parsePort(text, true),
        default: "9090",
        placeholder: "port",
        brief: "/metrics; 0: any free port",
      },
    },
  },
  docs: {
    brief: "Run the operators against a cluster",
    fullDescription: [
      "Runs the Redis and the Application operator against any cluster, until Ctrl-C. Their kinds must be installed:",
      "  kubectl apply -f config/crd/bases/",
      "",
      "EXAMPLES",
      "  kedge operator --kubeconfig .kedge/kubeconfig",
      "  kedge operator --controllers redis --namespace staging --namespace production",
    ].join("\n"),
  },
});
