import type { CommandSession } from "@kedge/client";
import { expect, it } from "vitest";
import { joinConsole } from "./interactive.ts";

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

/** A command that says what it is told to when its input has ended, and ends with 3. */
function played() {
  const log: string[] = [];
  const ended = Promise.withResolvers<void>();
  async function* answers(text: string): AsyncGenerator<Uint8Array> {
    await ended.promise;
    yield Buffer.from(text);
  }
  const output = (text: string) => Object.assign(answers(text), { discard: () => undefined });
  const session: CommandSession = {
    stdin: {
      write: (data) => Promise.resolve(void log.push(`in ${Buffer.from(data).toString()}`)),
      end: () => {
        log.push("end");
        ended.resolve();
        return Promise.resolve();
      },
    },
    stdout: output("PONG\n"),
    stderr: output("oops\n"),
    exit: Promise.resolve({ code: 3 }),
    resize: (columns, rows) => Promise.resolve(void log.push(`size ${columns}x${rows}`)),
    close: () => Promise.resolve(void log.push("closed")),
  };
  const stdin = Object.assign(chunksOf("ping\n"), {
    setRawMode: (on: boolean) => log.push(`raw ${on}`),
    destroy: () => log.push("let go"),
  });
  const to = (name: string) => ({
    write: (data: Uint8Array) => log.push(`${name} ${Buffer.from(data).toString()}`),
  });
  return { log, session, console: { stdin, stdout: { ...to("out"), columns: 0 }, stderr: to("err") } };
}

it("feeds what is piped, shows both outputs, and ends as the command did", async () => {
  const { log, session, console: user } = played();
  await expect(joinConsole(session, user, false)).resolves.toBe(3);
  expect(log).toEqual(["in ping\n", "end", "out PONG\n", "err oops\n", "let go", "closed"]);
});

it("gives keys as they are typed on a terminal, with a size, and puts the terminal back", async () => {
  const { log, session, console: user } = played();
  await expect(joinConsole(session, user, true)).resolves.toBe(3);
  expect(log).toEqual([
    "raw true",
    "size 80x24",
    "in ping\n",
    "end",
    "out PONG\n",
    "raw false",
    "let go",
    "closed",
  ]);
});
