import { ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import type { ServiceAccountTokens } from "../../auth/tokens/service-account-tokens.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { serviceAccountPrinter } from "./printer.ts";
import { tokenRequest } from "./token-request.ts";

/** ServiceAccounts. */
export function serviceAccountDefinition(tokens: ServiceAccountTokens | undefined): KindDefinition {
  return {
    kind: ServiceAccount,
    printer: serviceAccountPrinter,
    strategy: { generation: "none", deleteAnswersObject: true },
    subresources: { token: tokenRequest(tokens) },
  };
}
