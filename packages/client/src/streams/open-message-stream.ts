import {
  StatusError,
  statusFromResponse,
  type ApiHeaders,
  type MessageStream,
  type UpgradeHandler,
} from "@kedge/machinery";
import { headerOf, readText } from "../transport/read-body.ts";

/** Whom to ask for a stream: path of the subresource without a query, headers, and what ends it all. */
export interface StreamRequest {
  /** `/api/v1/namespaces/default/pods/web-0/exec` */
  readonly path: string;
  readonly headers: ApiHeaders;
  /** Aborting it ends the opening, and the stream when it is open. */
  readonly signal?: AbortSignal | undefined;
}

/** A refusal's text beyond this is not read. */
const longestRefusal = 1 << 20;

/** Opens a stream; throws a `StatusError` when the server refuses. */
export async function openMessageStream(
  upgrade: UpgradeHandler,
  request: StreamRequest,
  protocols: readonly string[],
): Promise<MessageStream> {
  const answer = await upgrade({ ...request, method: "GET", protocols });
  if (!("status" in answer)) return answer;
  const text = await readText(answer, longestRefusal, "cut");
  throw new StatusError(
    statusFromResponse(answer.status, text, { verb: "GET", contentType: headerOf(answer, "content-type") }),
  );
}
