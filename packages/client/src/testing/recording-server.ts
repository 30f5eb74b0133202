import type { ApiRequest, ApiResponse } from "@kedge/machinery";
import { Client, type ClientOptions } from "../client.ts";
import { inProcessTransport } from "../transport/in-process-transport.ts";
import { jsonAnswer } from "./bodies.ts";

/** A request as a test likes to read it. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: ApiRequest["headers"];
  readonly body: unknown;
}

/** A client whose requests are recorded and answered by the test. */
export function recordingClient(
  answer: (request: Recorded) => unknown = ({ body }) => body ?? {},
  options: ClientOptions = {},
): { client: Client; requests: Recorded[] } {
  const requests: Recorded[] = [];
  const transport = inProcessTransport(async (request) => {
    const recorded = record(request);
    requests.push(recorded);
    const result = answer(recorded);
    return isResponse(result) ? result : jsonAnswer(result);
  });
  return { client: new Client(transport, options), requests };
}

function record(request: ApiRequest): Recorded {
  const url = new URL(request.path, "https://server");
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name);
    query[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  const text = request.body === undefined ? undefined : Buffer.from(request.body).toString();
  return {
    method: request.method,
    path: url.pathname,
    query,
    headers: request.headers,
    body: text === undefined ? undefined : (JSON.parse(text) as unknown),
  };
}

function isResponse(value: unknown): value is ApiResponse {
  return typeof value === "object" && value !== null && "body" in value && "headers" in value;
}
