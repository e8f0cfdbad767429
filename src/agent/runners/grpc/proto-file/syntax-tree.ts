/** Descriptors as ProtoJSON has them, as far as a proto file fills them in; types are names still. */

export interface FieldTree {
  readonly name: string;
  readonly number: number;
  readonly label: "LABEL_OPTIONAL" | "LABEL_REQUIRED" | "LABEL_REPEATED";
  /** Unknown where `typeName` may be a message or an enum. */
  type?: string;
  typeName?: string;
  readonly jsonName?: string;
  readonly defaultValue?: string;
  oneofIndex?: number;
  readonly proto3Optional?: true;
  readonly options?: Record<string, unknown>;
}

export interface EnumTree {
  readonly name: string;
  readonly value: { readonly name: string; readonly number: number }[];
  options?: Record<string, unknown>;
}

export interface MessageTree {
  readonly name: string;
  readonly field: FieldTree[];
  readonly nestedType: MessageTree[];
  readonly enumType: EnumTree[];
  readonly oneofDecl: { readonly name: string }[];
  options?: Record<string, unknown>;
}

export interface MethodTree {
  readonly name: string;
  inputType: string;
  outputType: string;
  readonly clientStreaming: boolean;
  readonly serverStreaming: boolean;
}

export interface FileTree {
  readonly name: string;
  package: string;
  syntax: "proto2" | "proto3" | "editions";
  edition?: string;
  readonly dependency: string[];
  readonly messageType: MessageTree[];
  readonly enumType: EnumTree[];
  readonly service: { readonly name: string; readonly method: MethodTree[] }[];
  options?: Record<string, unknown>;
}

/** Messages, fields, oneofs, enums, values, services and methods; a map is a message with two fields, and the field. */
export function declarationsIn({ messageType, enumType, service }: FileTree): number {
  const methods = service.reduce((count, { method }) => count + 1 + method.length, 0);
  return methods + inEnums(enumType) + inMessages(messageType);
}

function inMessages(messages: readonly MessageTree[]): number {
  return messages.reduce((count, { field, oneofDecl, enumType, nestedType }) => {
    return count + 1 + field.length + oneofDecl.length + inEnums(enumType) + inMessages(nestedType);
  }, 0);
}

function inEnums(enums: readonly EnumTree[]): number {
  return enums.reduce((count, { value }) => count + 1 + value.length, 0);
}
