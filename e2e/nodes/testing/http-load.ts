import { request } from "node:http";
import { messageOf, realClock } from "@kedge/machinery";

/** What constant requests have met. */
export interface HttpLoad {
  /** How many were answered with 200. */
  answered(): number;
  /** One line for each that was not. */
  readonly failures: readonly string[];
  /** Resolves when the last one has ended. */
  stop(): Promise<void>;
}

/** Milliseconds that one may take. On a busy machine none is late that is not lost. */
const patience = 20_000;
const pauseMs = 10;

/** Asks each address again and again from this machine, each time on a new connection. */
export function startLoad(urls: readonly string[]): HttpLoad {
  const stopping = new AbortController();
  let answered = 0;
  const failures: string[] = [];
  const ask = async (url: string): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const code = await statusOf(url);
        if (code === 200) answered++;
        else failures.push(`${url}: ${code}`);
      } catch (error) {
        failures.push(`${url}: ${messageOf(error)}`);
      }
      await realClock.sleep(pauseMs);
    }
  };
  const work = Promise.all(urls.map(ask));
  return {
    answered: () => answered,
    failures,
    async stop() {
      stopping.abort();
      await work;
    },
  };
}

/** The whole answer is read: one that is cut off is a failure. */
async function statusOf(url: string): Promise<number | undefined> {
  using limit = realClock.deadline(patience);
  return await new Promise((resolve, reject) => {
    const asked = request(url, { agent: false, signal: limit.signal }, (response) => {
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode));
      response.resume();
    });
    asked.on("error", reject);
    asked.end();
  });
}
