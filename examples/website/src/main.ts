import { connect, loadConfig } from "@kedge/client";
import { realClock as clock, realRandom as random } from "@kedge/machinery";
import { createLogger, createManager, stopSignal } from "@kedge/runtime";
import { websiteOperator } from "./operator.ts";

const logger = createLogger({ clock, level: "info" });
const client = connect(await loadConfig({ env: process.env, clock }), { clock, random, logger });
const manager = createManager({ client, clock, random, logger, name: "website-operator" });
for (const controller of websiteOperator.controllers()) manager.add(controller);
await manager.run(stopSignal(process));
await client.close();
