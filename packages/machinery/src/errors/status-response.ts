import { goQuote } from "../go/go-quote.ts";
import { about, resourceText, statusFailure, type GroupResource } from "./status-failure.ts";
import { isStatus, type Status, type StatusReason } from "./status.ts";

/** What was asked for, and what the answer's headers say. */
export interface ResponseContext {
  /** The HTTP method of the request. */
  readonly verb: string;
  readonly resource?: GroupResource | undefined;
  readonly name?: string | undefined;
  readonly contentType?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * The status of an answer that is not a success: the one in its body, or else one made of the HTTP code as client-go
 * makes it, for answers of proxies, gateways and web servers in between.
 */
export function statusFromResponse(code: number, bodyText: string, context: ResponseContext): Status {
  const sent = parseStatus(bodyText);
  if (sent !== undefined && sent.status !== "Success")
    return sent.code === undefined ? { ...sent, code } : sent;
  return genericStatus(code, isText(context.contentType) ? excerpt(bodyText) : "unknown", context);
}

/** Proxies answer whole pages; the beginning is enough to tell who speaks. */
const longestExcerpt = 2048;

function parseStatus(bodyText: string): Status | undefined {
  if (!bodyText.includes('"Status"')) return undefined;
  try {
    const body: unknown = JSON.parse(bodyText);
    return isStatus(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isText(contentType = ""): boolean {
  return contentType === "" || contentType.toLowerCase().startsWith("text/");
}

function excerpt(bodyText: string): string {
  return bodyText.slice(0, longestExcerpt).trim();
}

function genericStatus(code: number, said: string, context: ResponseContext): Status {
  const { verb, resource, name = "", retryAfterSeconds } = context;
  const [reason, text] = explain(code, verb, said);
  const asked =
    resource === undefined
      ? ""
      : ` (${[verb.toLowerCase(), resourceText(resource), name].join(" ").trimEnd()})`;
  return statusFailure({
    code,
    reason,
    message: `${text}${asked}`,
    details: {
      ...(resource === undefined ? { name } : about(resource, name)),
      causes: [{ reason: "UnexpectedServerResponse", ...(said !== "" && { message: said }) }],
      retryAfterSeconds,
    },
  }).status;
}

function explain(code: number, verb: string, said: string): readonly [StatusReason, string] {
  switch (code) {
    case 400:
      return ["BadRequest", "the server rejected our request for an unknown reason"];
    case 401:
      return ["Unauthorized", "the server has asked for the client to provide credentials"];
    case 403:
      return ["Forbidden", said];
    case 404:
      return ["NotFound", "the server could not find the requested resource"];
    case 405:
      return ["MethodNotAllowed", "the server does not allow this method on the requested resource"];
    case 406:
      return ["NotAcceptable", said === "" || said === "unknown" ? unacceptable : said];
    case 409:
      return [verb === "POST" ? "AlreadyExists" : "Conflict", "the server reported a conflict"];
    case 415:
      return ["UnsupportedMediaType", said];
    case 422:
      return ["Invalid", "the server rejected our request due to an error in our request"];
    case 429:
      return [
        "TooManyRequests",
        "the server has received too many requests and has asked us to try again later",
      ];
    case 503:
      return ["ServiceUnavailable", "the server is currently unable to handle the request"];
    case 504:
      return [
        "Timeout",
        "the server was unable to return a response in the time allotted, but may still be processing the request",
      ];
    default:
      if (code < 500) {
        return ["", `the server responded with the status code ${code} but did not return more information`];
      }
      return [
        "InternalError",
        `an error on the server (${goQuote(said)}) has prevented the request from succeeding`,
      ];
  }
}

const unacceptable = "the server was unable to respond with a content type that the client supports";
