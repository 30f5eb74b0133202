import { expect, it } from "vitest";
import { keepAlive, type PingableSocket } from "./keep-alive.ts";
import { VirtualClock } from "../virtual-time/virtual-clock.ts";

/** A WebSocket that notes what is sent. */
function fakeSocket() {
  const sent: string[] = [];
  const listeners = new Map<string, (data: Uint8Array) => void>();
  const state = { readyState: 1, bufferedAmount: 0 };
  const socket: PingableSocket = {
    OPEN: 1,
    CLOSED: 3,
    get readyState() {
      return state.readyState;
    },
    get bufferedAmount() {
      return state.bufferedAmount;
    },
    ping: () => void sent.push("ping"),
    pong: () => void sent.push("pong"),
    on: (event, listener) => listeners.set(event, listener),
    once: (event: string, listener: () => void) => listeners.set(event, listener),
  };
  return { sent, state, socket, emit: (event: string) => listeners.get(event)?.(new Uint8Array()) };
}

it("pings as long as it is open, but not while something waits to be sent", async () => {
  const clock = new VirtualClock();
  const { socket, sent, state, emit } = fakeSocket();
  keepAlive(socket, clock);
  await clock.advance(4000);
  expect(sent).toEqual(["ping", "ping"]);
  state.bufferedAmount = 1;
  await clock.advance(4000);
  expect(sent).toHaveLength(2);
  emit("close");
  expect(clock.pending().timers).toBe(0);
});

it("answers pings of a peer that reads", () => {
  const { socket, sent, state, emit } = fakeSocket();
  keepAlive(socket, new VirtualClock());
  emit("ping");
  state.bufferedAmount = 100_000;
  emit("ping");
  expect(sent).toEqual(["pong"]);
});
