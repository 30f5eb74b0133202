import type { Play, PlayedStep } from "../player/play.ts";
import type { RequestStep, WatchStep } from "../script/script.ts";
import { recordedHeaders } from "./headers.ts";
import { generatedNamesIn, identify } from "./identify.ts";
import { textMask } from "./mask-text.ts";
import { shaped, sortUnordered } from "./shape.ts";
import type { RecordedEvents, Transcript, TranscriptStep } from "./transcript.ts";

/** What a play has seen, as it is recorded and compared. */
export function toTranscript(play: Play): Transcript {
  const { script, stopped } = play;
  const raw = play.steps.map(rawStep);
  const mask = textMask({
    ...play,
    versions: [...JSON.stringify(raw).matchAll(objectVersion)].map(([, version = ""]) => version),
    generated: raw.flatMap((step) => generatedNamesIn(step)),
  });
  const steps = raw.map((step, index) => {
    const masked = maskAll(step, mask) as TranscriptStep;
    const { step: shape } = play.steps[index] ?? {};
    if (shape !== undefined) sortUnordered("list" in masked ? masked.list : masked.body, shape);
    return masked;
  });
  return { title: script.title, steps, ...(stopped !== undefined && { stopped: mask(stopped) }) };
}

/** The request as a line: `GET /path?limit=2 as jane`. */
export function requestLine({ method, path, query, as }: RequestStep | WatchStep): string {
  const parameters = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}=${value}`),
  );
  const separator = path.includes("?") ? "&" : "?";
  const who = as === undefined ? "" : ` as ${as === "anonymous" ? as : as.user}`;
  return `${method} ${path}${parameters.length > 0 ? separator : ""}${parameters.join("&")}${who}`;
}

const objectVersion = /\uE000rv (\d+)\uE000/gu;

function rawStep(played: PlayedStep): TranscriptStep {
  if ("events" in played) {
    const { step, events, end } = played;
    const list = shaped((identify(events) as readonly object[]).map(typeFirst), step);
    return { events: step.events, list: list as RecordedEvents["list"], ...(end !== undefined && { end }) };
  }
  const { step, status, headers, body } = played;
  const shown = recordedHeaders(headers);
  return {
    request: requestLine(step),
    status,
    ...(Object.keys(shown).length > 0 && { headers: shown }),
    ...("value" in body && { body: shaped(identify(body.value), step) }),
    ...(body.text !== undefined && { text: body.text }),
    ...(body.binary !== undefined && { binary: body.binary }),
  };
}

/** To be read by people. */
function typeFirst(event: object): object {
  const { type, ...rest } = { type: undefined, ...event };
  return type === undefined ? rest : { type, ...rest };
}

function maskAll(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskAll(item, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskAll(item, mask)]));
}
