import type { Schema } from "../../../src/domain/field.ts";

/** Of an OpenAPI 3.1 document what the page shows. */
export interface ApiDescription {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DescribedResponse>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly "x-roles": readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: unknown;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface DescribedResponse {
  /** A response that several operations share. */
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly example?: unknown; readonly examples?: Examples }>
>;
type Examples = Readonly<Record<string, { readonly value: unknown }>>;
