import { NetworkTransport } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import type { Oracle } from "../real/oracle.ts";
import type { JsonObject } from "./json.ts";

/** The real server's answer: an object or a Status. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** How a body is meant. */
export type BodyType =
  | "json"
  | "json-patch+json"
  | "merge-patch+json"
  | "strategic-merge-patch+json"
  | "apply-patch+yaml";

/** A request, short to write. */
export interface Question {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: BodyType;
  readonly body?: unknown;
}

/** The real server, seen by the admin. */
export interface Server {
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

/** Connects to an oracle. */
export function serverOf(oracle: Oracle): Server {
  const transport = new NetworkTransport(oracle.adminConfig, { clock: realClock });
  return {
    ask: async ({ method, path, query = {}, type = "json", body }) => {
      const search = new URLSearchParams(query).toString();
      const response = await transport.request({
        method,
        path: search === "" ? path : `${path}?${search}`,
        headers: {
          accept: "application/json",
          "user-agent": "comparison",
          ...(body === undefined ? {} : { "content-type": `application/${type}` }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString("utf8");
      // Paths that nobody serves are answered in plain text.
      const isJson = String(response.headers["content-type"]).startsWith("application/json");
      return {
        status: response.status,
        body: isJson ? (JSON.parse(text) as JsonObject) : { message: text },
      };
    },
    close: () => transport.close(),
  };
}

/** The object of an answer that must have worked. */
export async function mustWork(answer: Promise<Answer>): Promise<JsonObject> {
  const { status, body } = await answer;
  if (status < 300) return body;
  throw new Error(`the server refuses what the comparison is built on: ${status} ${JSON.stringify(body)}`);
}
