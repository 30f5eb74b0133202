import { apiVersionOf, type Clock } from "@kedge/machinery";
import type { SchemaTable } from "@kedge/machinery/schema-table";
import { hashedBytes, type HashedDocument } from "../../discovery/etag-response.ts";
import type { Registry, Resource } from "../../registry/types.ts";
import { pausesOn, type Pause } from "../../request/pause.ts";
import { componentSchemas } from "../components.ts";
import { resourcePaths } from "../paths.ts";
import { definitionEntry, documentPieces, pathEntry } from "./gnostic.ts";
import { swaggerPath } from "./swagger-path.ts";
import { swaggerSchema } from "./swagger-schema.ts";

/** The document in both of its forms. */
export interface SwaggerDocument {
  readonly json: HashedDocument;
  readonly protobuf: HashedDocument;
  /** Milliseconds since 1970. */
  readonly made: number;
}

/**
 * Makes the document of OpenAPI v2: all groups in one. What belongs to a group version is made when it is first asked for
 * and when its resources change, with pauses in between; then the document is only put together.
 */
export class SwaggerDocuments {
  readonly #registry: Registry;
  readonly #table: SchemaTable;
  readonly #clock: Clock;
  readonly #groups = new Map<string, GroupPieces>();
  /** Built-in types, which most groups share and which never change. */
  readonly #types = new Map<string, Piece>();
  #current: { readonly generation: number; readonly document: Promise<SwaggerDocument> } | undefined;

  constructor({
    registry,
    table,
    clock,
  }: {
    readonly registry: Registry;
    readonly table: SchemaTable;
    readonly clock: Clock;
  }) {
    this.#registry = registry;
    this.#table = table;
    this.#clock = clock;
  }

  /** The one of what is served now. */
  document(): Promise<SwaggerDocument> {
    const { generation } = this.#registry;
    if (this.#current?.generation !== generation) this.#current = { generation, document: this.#make() };
    return this.#current.document;
  }

  async #make(): Promise<SwaggerDocument> {
    const pause = pausesOn(this.#clock);
    const groups = Map.groupBy(this.#registry.all(), apiVersionOf);
    for (const name of this.#groups.keys()) if (!groups.has(name)) this.#groups.delete(name);
    for (const [name, resources] of groups) {
      const known = this.#groups.get(name)?.resources;
      if (known?.length === resources.length && known.every((each, at) => each === resources[at])) continue;
      this.#groups.set(name, await this.#piecesOf(resources, pause));
    }
    const pieces = [...groups.keys()].flatMap((name) => this.#groups.get(name) ?? []);
    await pause();
    const paths = sorted(pieces.flatMap((group) => group.paths));
    const definitions = sorted(pieces.flatMap((group) => group.definitions));
    const json = hashedBytes(jsonDocument(paths, definitions));
    await pause();
    return { json, protobuf: hashedBytes(protobufDocument(paths, definitions)), made: this.#clock.now() };
  }

  async #piecesOf(resources: readonly Resource[], pause: Pause): Promise<GroupPieces> {
    const paths: Piece[] = [];
    for (const resource of resources) {
      for (const [name, path] of Object.entries(resourcePaths(this.#table, resource)))
        paths.push(pieceOf(name, swaggerPath(path), pathEntry));
      await pause();
    }
    const definitions: Piece[] = [];
    for (const [name, schema] of Object.entries(componentSchemas(this.#table, resources))) {
      const isBuiltIn = this.#table.type(name) !== undefined;
      const known = isBuiltIn ? this.#types.get(name) : undefined;
      const piece = known ?? pieceOf(name, swaggerSchema(schema), definitionEntry);
      if (isBuiltIn) this.#types.set(name, piece);
      definitions.push(piece);
      await pause();
    }
    return { resources, paths, definitions };
  }
}

interface GroupPieces {
  readonly resources: readonly Resource[];
  readonly paths: readonly Piece[];
  readonly definitions: readonly Piece[];
}

/** A path or a definition in both forms. */
interface Piece {
  readonly name: string;
  readonly json: Uint8Array;
  readonly protobuf: Uint8Array;
}

function pieceOf<T extends object>(
  name: string,
  content: T,
  entry: (name: string, content: T) => Uint8Array,
): Piece {
  const json = Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(content)}`);
  return { name, json, protobuf: entry(name, content) };
}

/** By name, each once. */
function sorted(pieces: readonly Piece[]): readonly Piece[] {
  const byName = new Map(pieces.map((piece) => [piece.name, piece]));
  return [...byName.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

const info = { title: "Kubernetes", version: "v1.36.4" };

function jsonDocument(paths: readonly Piece[], definitions: readonly Piece[]): Uint8Array {
  const bearer = {
    description: "Bearer Token authentication",
    type: "apiKey",
    name: "authorization",
    in: "header",
  };
  return Buffer.concat([
    Buffer.from(`{"swagger":"2.0","info":${JSON.stringify(info)},"paths":{`),
    ...withCommas(paths),
    Buffer.from('},"definitions":{'),
    ...withCommas(definitions),
    Buffer.from(
      `},"securityDefinitions":{"BearerToken":${JSON.stringify(bearer)}},"security":[{"BearerToken":[]}]}`,
    ),
  ]);
}

const comma = Buffer.from(",");

function withCommas(pieces: readonly Piece[]): readonly Uint8Array[] {
  return pieces.flatMap(({ json }, index) => (index === 0 ? [json] : [comma, json]));
}

function protobufDocument(paths: readonly Piece[], definitions: readonly Piece[]): Uint8Array {
  const lengths = { paths: lengthOf(paths), definitions: lengthOf(definitions) };
  const [before, between, after] = documentPieces(info, lengths);
  const bytesOf = (pieces: readonly Piece[]) => pieces.map(({ protobuf }) => protobuf);
  return Buffer.concat([before, ...bytesOf(paths), between, ...bytesOf(definitions), after]);
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { protobuf }) => sum + protobuf.length, 0);
}
