import { formatTime, inBackground, isNotFound, type Clock, type Timer } from "@kedge/machinery";
import {
  FlowSchema,
  PriorityLevelConfiguration,
  type FlowSchemaCondition,
} from "@kedge/machinery/kinds/flowcontrol/v1";
import { decodedAs } from "../registry/decoded.ts";
import type { ApiObject, Objects, Resource, StoredApiObject } from "../registry/types.ts";

/** No schema is written more often than so many times in so many milliseconds: another may insist on another status. */
const [mostWrites, inTime] = [6, 60_000];

/** What follows FlowSchemas, to say in their status whether their level is there. */
export interface DanglingOptions {
  readonly objects: Objects;
  readonly clock: Clock;
  /** Hears of what could not be written; it is tried again a minute later. */
  readonly onFailure: (error: unknown) => void;
}

/** Keeps the condition `Dangling` of all FlowSchemas true. Resolves when all have it; the result ends it. */
export async function tellDangling(options: DanglingOptions): Promise<() => void> {
  const { registry } = options.objects;
  const schemas = registry.byKind(FlowSchema.group, FlowSchema.kind);
  const levels = registry.byKind(PriorityLevelConfiguration.group, PriorityLevelConfiguration.kind);
  if (schemas === undefined || levels === undefined) return () => undefined;
  const teller = new DanglingTeller(options, schemas, levels);
  // All at once: a store that syncs its files does it once for them.
  const all = options.objects.list(schemas).map(({ metadata }) => teller.tell(metadata.name ?? ""));
  await Promise.all(all).catch(options.onFailure);
  return () => teller.stop();
}

class DanglingTeller {
  readonly #options: DanglingOptions;
  readonly #schemas: Resource;
  readonly #levels: Resource;
  readonly #stops: readonly (() => void)[];
  /** The schemas of each level, by name. */
  readonly #schemasOf = new Map<string, Set<string>>();
  readonly #stale = new Set<string>();
  /** How often each was written in this minute, and what ends the minute. */
  readonly #writes = new Map<string, { count: number; readonly minute: Timer }>();
  #isRunning = false;
  #isStopped = false;

  constructor(options: DanglingOptions, schemas: Resource, levels: Resource) {
    this.#options = options;
    this.#schemas = schemas;
    this.#levels = levels;
    const { objects } = options;
    for (const schema of objects.list(schemas)) this.#remember(schema);
    this.#stops = [
      objects.onChange(schemas, (change) => {
        if (change.type === "stored") this.#stored(change.object, change.previous);
        else this.#forget(change.object);
      }),
      objects.onChange(levels, ({ type, object, ...more }) => {
        const isChange = type === "removed" || !("previous" in more) || more.previous === undefined;
        if (isChange) this.#stir(this.#schemasOf.get(object.metadata.name ?? "") ?? []);
      }),
    ];
  }

  stop(): void {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
    for (const { minute } of this.#writes.values()) minute.cancel();
    this.#writes.clear();
  }

  #stored(schema: StoredApiObject, previous: StoredApiObject | undefined): void {
    if (previous !== undefined && levelOf(previous) !== levelOf(schema)) this.#forget(previous);
    this.#remember(schema);
    if (this.#wanted(schema) !== undefined) this.#stir([schema.metadata.name ?? ""]);
  }

  #remember(schema: StoredApiObject): void {
    const names = this.#schemasOf.get(levelOf(schema)) ?? new Set();
    this.#schemasOf.set(levelOf(schema), names.add(schema.metadata.name ?? ""));
  }

  #forget(schema: StoredApiObject): void {
    const names = this.#schemasOf.get(levelOf(schema));
    names?.delete(schema.metadata.name ?? "");
    if (names?.size === 0) this.#schemasOf.delete(levelOf(schema));
  }

  #stir(names: Iterable<string>): void {
    for (const name of names) this.#stale.add(name);
    if (this.#isRunning || this.#isStopped || this.#stale.size === 0) return;
    this.#isRunning = true;
    inBackground(this.#run(), this.#options.onFailure);
  }

  async #run(): Promise<void> {
    try {
      for (const name of this.#stale) {
        this.#stale.delete(name);
        if (this.#isStopped) return;
        await this.tell(name);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async tell(name: string): Promise<void> {
    const { objects } = this.#options;
    const schema = objects.get(this.#schemas, { name });
    if (schema === undefined || this.#wanted(schema) === undefined) return;
    if (!this.#mayWrite(name)) return;
    try {
      await objects.update(this.#schemas, { name }, (object) => this.#write(object), {
        subresource: "status",
        manager: "api-priority-and-fairness-config-consumer-v1",
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #mayWrite(name: string): boolean {
    const writes = this.#writes.get(name);
    if (writes !== undefined) return ++writes.count <= mostWrites;
    const again = (): void => {
      this.#writes.delete(name);
      // It may have to be written since.
      this.#stir([name]);
    };
    this.#writes.set(name, { count: 1, minute: this.#options.clock.timer(inTime, again) });
    return true;
  }

  #write(object: ApiObject): boolean {
    const wanted = this.#wanted(object);
    if (wanted === undefined) return false;
    const { conditions = [] } = decodedAs(FlowSchema, object).status ?? {};
    const others = conditions.filter(({ type }) => type !== wanted.type);
    object["status"] = { conditions: [...others, wanted] };
    return true;
  }

  /** The condition that a schema lacks; undefined when it has it. */
  #wanted(schema: StoredApiObject): FlowSchemaCondition | undefined {
    const { objects, clock } = this.#options;
    const level = levelOf(schema);
    const isThere = objects.get(this.#levels, { name: level }) !== undefined;
    const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
    const wanted = isThere
      ? { status: "False", reason: "Found", message: `${named} and it exists` }
      : { status: "True", reason: "NotFound", message: `${named} but there is no such object` };
    const { conditions = [] } = decodedAs(FlowSchema, schema).status ?? {};
    const told = conditions.find(({ type }) => type === "Dangling");
    const isTold =
      told?.status === wanted.status && told.reason === wanted.reason && told.message === wanted.message;
    return isTold ? undefined : { type: "Dangling", lastTransitionTime: formatTime(clock.now()), ...wanted };
  }
}

function levelOf(schema: StoredApiObject): string {
  return decodedAs(FlowSchema, schema).spec?.priorityLevelConfiguration?.name ?? "";
}
