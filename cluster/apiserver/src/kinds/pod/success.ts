import type { ApiObject } from "../../registry/types.ts";

/** The Status that actions answer with when all went well. */
export function success(code: number): ApiObject {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code };
}
