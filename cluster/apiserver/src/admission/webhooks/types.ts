import type { Selectors } from "../matching/selectors.ts";
import type { RuleWithOperations } from "@kedge/machinery/kinds/admissionregistration/v1";
import type { AdmissionExpression } from "@kedge/validation";
import type { Decoded } from "../../registry/decoded.ts";
import type { Endpoint } from "../../webhook-client/endpoint.ts";

/** A webhook, in the form in which requests ask for it. */
export interface Hook {
  /** `configuration/webhook/index of the name in it`. */
  readonly id: string;
  readonly configuration: string;
  readonly name: string;
  readonly rules: readonly Decoded<RuleWithOperations>[];
  readonly selectors: Selectors;
  /** Whether it also wants to be asked of other versions of what its rules name. */
  readonly equivalent: boolean;
  /** Compiled when a request first comes that far. */
  readonly conditions: () => readonly AdmissionExpression[];
  /** Whether a request goes on when the webhook cannot be asked. */
  readonly ignoresFailure: boolean;
  readonly timeoutSeconds: number;
  /** Whether it may be asked of what is not to be done. */
  readonly allowsDryRun: boolean;
  /** Which AdmissionReview it is sent: the first that we know. */
  readonly reviewVersion: "v1" | "v1beta1" | undefined;
  /** Of mutating ones: whether it wants to be asked again when others changed the object. */
  readonly reinvocable: boolean;
  readonly endpoint: Endpoint;
}
