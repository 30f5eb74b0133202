import {
  badRequest,
  DeadlineError,
  internalError,
  messageOf,
  StatusError,
  statusFromResponse,
} from "@kedge/machinery";
import type { NodeAddress } from "./node-address.ts";

/** What a node's answer that is no success means to the asker. The kubelet answers plain text. */
export function nodeRefusal(
  status: number,
  text: string,
  { pod, subresource }: { readonly pod: string; readonly subresource: string },
): StatusError {
  if (status === 400) return badRequest(text.trim());
  if (status === 500) return internalError(new Error(text.trim()));
  const resource = { group: "", plural: `pods/${subresource}` };
  return new StatusError(statusFromResponse(status, text, { verb: "GET", resource, name: pod }));
}

/** What a node's refusal to open a stream means, whatever its status: a 500 that says why, as of the real server. */
export function streamRefusal(text: string): StatusError {
  return internalError(new Error(`unable to upgrade connection: ${text.trim()}`));
}

/** The node could not be reached. */
export function nodeUnreachable({ host, port }: NodeAddress, cause: unknown): StatusError {
  const why = cause instanceof DeadlineError ? "i/o timeout" : messageOf(cause);
  return internalError(new Error(`error dialing backend: dial tcp ${host}:${port}: ${why}`, { cause }));
}
