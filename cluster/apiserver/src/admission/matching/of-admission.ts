import { ValidatingAdmissionPolicy } from "@kedge/machinery/kinds/admissionregistration/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import type { AdmissionRequest } from "../types.ts";

/** Whether a request is about webhooks or policies themselves: nobody is locked out of repairing them. */
export function isOfAdmission({ kind }: AdmissionRequest<StoredApiObject>): boolean {
  return kind.group === ValidatingAdmissionPolicy.group;
}
