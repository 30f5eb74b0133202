import { Pod } from "@kedge/machinery/kinds/core/v1";
import { decodedAs } from "../registry/decoded.ts";
import { isAbout, refusal } from "./request.ts";
import type { AdmissionPlugin } from "./types.ts";

/** Refuses new pods that want a runtime class, or what only one can give them: no class is served yet. */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  operations: ["CREATE"],
  admit: (request) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, Pod)) return;
    const { runtimeClassName = "" } = decodedAs(Pod, object).spec ?? {};
    if (runtimeClassName === "") return;
    throw refusal(request, `pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`);
  },
  validate: (request) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, Pod)) return;
    const { overhead = {} } = decodedAs(Pod, object).spec ?? {};
    if (Object.keys(overhead).length === 0) return;
    throw refusal(
      request,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
  },
};
