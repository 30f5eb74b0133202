import type { WatchEvent } from "@kedge/client";
import { keyOf, keyToString, type Clock, type StoredObject } from "@kedge/machinery";

/** Who takes what a stream brings that begins with all that exists. */
export interface InitialEventsTaker {
  initial(objects: readonly StoredObject[], resourceVersion: string): void;
  event(event: WatchEvent<StoredObject>): void;
}

/** The server sends a watch, but not what exists as its beginning: it is too old for that. */
export class NoInitialEvents extends Error {
  override readonly name = "NoInitialEvents";
}

/** A server that knows how to do it does not pause this long before it has told all. */
const silenceMs = 10_000;

/** Gathers what exists from the beginning of a stream, hands it over as one, and then event by event. */
export async function readInitialEvents(
  open: (signal: AbortSignal) => AsyncIterable<WatchEvent<StoredObject>>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  taker: InitialEventsTaker,
): Promise<void> {
  const silence = new AbortController();
  const arm = () => clock.timer(silenceMs, () => silence.abort());
  let timer = arm();
  let gathered: Map<string, StoredObject> | undefined = new Map();
  try {
    for await (const event of open(AbortSignal.any([signal, silence.signal]))) {
      if (gathered === undefined) {
        taker.event(event);
        continue;
      }
      timer.cancel();
      if (event.type === "BOOKMARK" && event.initialEventsEnd) {
        taker.initial([...gathered.values()], event.resourceVersion);
        gathered = undefined;
        continue;
      }
      gather(gathered, event);
      timer = arm();
    }
  } catch (error) {
    throw silence.signal.aborted ? new NoInitialEvents(tooOld, { cause: error }) : error;
  } finally {
    timer.cancel();
  }
  if (gathered !== undefined) throw new Error("the watch ended before it had told all that exists");
}

const tooOld = "the server began a watch, but did not say when it had told all that exists";

function gather(objects: Map<string, StoredObject>, event: WatchEvent<StoredObject>): void {
  if (event.type === "BOOKMARK") return;
  const key = keyToString(keyOf(event.object));
  if (event.type === "DELETED") objects.delete(key);
  else objects.set(key, event.object);
}
