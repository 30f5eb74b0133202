import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { answersPing } from "./answers-ping.ts";

/** A server that reads as much as it is sent, and answers this. */
async function serving(answer: string): Promise<{ readonly port: number; readonly heard: () => string }> {
  let heard = "";
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      heard += data.toString();
      if (heard.endsWith("PING\r\n")) socket.end(answer);
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, heard: () => heard };
}

const { signal } = new AbortController();

it.each([
  ["", "+PONG\r\n", true],
  ["pass word", "+OK\r\n+PONG\r\n", true],
  // A server that asks for none still answers.
  ["pass", "-ERR AUTH called without any password configured\r\n+PONG\r\n", true],
  ["wrong", "-WRONGPASS invalid\r\n-NOAUTH Authentication required.\r\n", false],
  ["", "-LOADING Redis is loading the dataset in memory\r\n", false],
])("with the password %j, %j is an answer: %j", async (password, answer, expected) => {
  const { port, heard } = await serving(answer);
  const options = { host: "127.0.0.1", port, password: Buffer.from(password), signal };
  expect(await answersPing(options)).toBe(expected);
  expect(heard()).toBe(
    password === "" ? "PING\r\n" : `*2\r\n$4\r\nAUTH\r\n$${password.length}\r\n${password}\r\nPING\r\n`,
  );
});

it("nobody who listens is no answer", async () => {
  const { port } = await serving("");
  const options = { host: "127.0.0.2", port, password: Buffer.from(""), signal };
  expect(await answersPing(options)).toBe(false);
});
