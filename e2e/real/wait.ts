import { connect } from "node:net";
import { request } from "node:https";
import type { CertificateWithKey } from "@kedge/pki";
import { ifFound, realClock } from "@kedge/machinery";

/** Asks again and again until it is so. What it throws ends the waiting. */
export async function until(what: string, isSo: () => Promise<boolean>, patience = 240_000): Promise<void> {
  const start = realClock.monotonic();
  while (!(await isSo())) {
    if (realClock.monotonic() - start > patience) {
      throw new Error(`${what}: not so after ${patience / 1000} s`);
    }
    await realClock.sleep(25);
  }
}

/** Waits until an object is not found any more. */
export async function untilGone(what: string, get: () => Promise<unknown>): Promise<void> {
  await until(`${what} is gone`, async () => (await ifFound(get())) === undefined);
}

/** Does somebody listen on this Unix socket? */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const answer = (isSo: boolean) => () => {
      socket.destroy();
      resolve(isSo);
    };
    socket.on("connect", answer(true)).on("error", answer(false));
  });
}

/** Does the server answer 200 at this URL? */
export function isOk(url: string, ca: string, user: CertificateWithKey): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(url, { ca, cert: user.certificate, key: user.key, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.setTimeout(2000, () => asked.destroy());
    asked.on("error", () => resolve(false)).end();
  });
}
