import type { ContainerDefinition } from "../model/types.ts";

/** The number of a port that may be given by its name in the container. */
export function resolvePort(port: number | string, container: ContainerDefinition): number {
  const number = Number(port);
  if (Number.isInteger(number) && number > 0 && number <= 65_535) return number;
  const named = container.ports?.find(({ name }) => name === port);
  if (named !== undefined) return named.containerPort;
  throw new Error(`container ${container.name} has no port named "${port}"`);
}
