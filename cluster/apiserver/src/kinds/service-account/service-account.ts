import { notFound, statusFailure } from "@kedge/machinery";
import { ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import type { ActionSubresource } from "../../registry/types.ts";
import { lookUp } from "../../registry/lookup.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { serviceAccountPrinter } from "./printer.ts";

/** ServiceAccounts. */
export function serviceAccountDefinition(): KindDefinition {
  return {
    kind: ServiceAccount,
    printer: serviceAccountPrinter,
    strategy: { generation: "none", deleteAnswersObject: true },
    subresources: { token: tokenRefusal() },
  };
}

/** `serviceaccounts/token`: there is no issuer of tokens yet, and the answer says so in a way that node agents know. */
function tokenRefusal(): ActionSubresource {
  return {
    type: "action",
    body: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
    run: async (key, _body, { objects }) => {
      await Promise.resolve();
      if (lookUp(objects, ServiceAccount, key) === undefined) throw notFound(ServiceAccount, key.name);
      throw statusFailure({
        reason: "MethodNotAllowed",
        message:
          "this server issues no service account tokens yet: use a client certificate (kubeconfig) instead",
        code: 405,
      });
    },
  };
}
