// The dataplane's interface from the reference AppView's package, as protobuf descriptors: the methods of
// every service, and all messages and enums that they reach. The package carries no .proto file, only code
// generated from one, which names every field.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { create } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type EnumDescriptorProto,
  EnumDescriptorProtoSchema,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt'

const ENUM = FieldDescriptorProto_Type.ENUM
const MESSAGE = FieldDescriptorProto_Type.MESSAGE
const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label
const TIMESTAMP = 'google/protobuf/timestamp.proto'
/** Installed by npm for the end-to-end tests. */
const PACKAGE = join(import.meta.dirname, '../../test/e2e/node_modules/@atproto/bsky')

type UpstreamEnum = { typeName: string; values: { no: number; name: string }[] }
type UpstreamMessage = { typeName: string; fields: { list(): UpstreamField[] } }
type UpstreamField = {
  no: number
  name: string
  jsonName: string
  opt?: boolean
  repeated?: boolean
} & (
  | { kind: 'scalar'; T: number }
  | { kind: 'enum'; T: UpstreamEnum }
  | { kind: 'message'; T: UpstreamMessage }
  | { kind: 'map'; K: number; V: { kind: 'message'; T: UpstreamMessage } }
)
type UpstreamService = {
  typeName: string
  methods: Record<string, { name: string; I: UpstreamMessage; O: UpstreamMessage }>
}

export const PROTOS = ['bsky', 'bsync'] as const
export type Proto = (typeof PROTOS)[number]

/** undefined if the package is not installed. */
export function upstreamVersion(): string | undefined {
  const path = join(PACKAGE, 'package.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).version : undefined
}

export async function upstreamDescriptor(proto: Proto): Promise<FileDescriptorProto> {
  const path = join(PACKAGE, 'dist/proto', `${proto}_connect.js`)
  const { Service } = (await import(pathToFileURL(path).href)) as { Service: UpstreamService }
  const types = reachable(Service)
  const [messages, enums] = [types.messages.map(toMessage), types.enums.map(toEnum)]
  const isNested = (typeName: string) => typeName.split('.').length > 2
  for (const [i, { typeName }] of types.enums.entries()) {
    const owner = types.messages.findIndex((message) => typeName.startsWith(`${message.typeName}.`))
    if (isNested(typeName)) messages[owner]!.enumType.push(enums[i]!)
  }
  return create(FileDescriptorProtoSchema, {
    name: `${proto}.proto`,
    package: proto,
    syntax: 'proto3',
    dependency: JSON.stringify(messages).includes(TIMESTAMP_TYPE) ? [TIMESTAMP] : [],
    messageType: messages,
    enumType: enums.filter((_, i) => !isNested(types.enums[i]!.typeName)),
    service: [
      {
        name: 'Service',
        method: Object.values(Service.methods).map(({ name, I, O }) => ({
          name,
          inputType: `.${I.typeName}`,
          outputType: `.${O.typeName}`,
        })),
      },
    ],
  })
}

const TIMESTAMP_TYPE = '.google.protobuf.Timestamp'

/** Sorted by name, so that the generated code does not depend on the order of use. */
function reachable(service: UpstreamService) {
  const messages = new Map<string, UpstreamMessage>()
  const enums = new Map<string, UpstreamEnum>()
  const visit = (message: UpstreamMessage): void => {
    if (messages.has(message.typeName) || message.typeName.startsWith('google.')) return
    messages.set(message.typeName, message)
    for (const field of message.fields.list()) {
      if (field.kind === 'message') visit(field.T)
      if (field.kind === 'map') visit(field.V.T)
      if (field.kind === 'enum') enums.set(field.T.typeName, field.T)
    }
  }
  for (const { I, O } of Object.values(service.methods))
    for (const upstreamMessage of [I, O]) visit(upstreamMessage)
  const byName = (a: { typeName: string }, b: { typeName: string }) =>
    a.typeName < b.typeName ? -1 : 1
  return {
    messages: [...messages.values()].sort(byName),
    enums: [...enums.values()].sort(byName),
  }
}

function lastName(typeName: string): string {
  return typeName.slice(typeName.lastIndexOf('.') + 1)
}

function toEnum({ typeName, values }: UpstreamEnum): EnumDescriptorProto {
  return create(EnumDescriptorProtoSchema, {
    name: lastName(typeName),
    value: values.map(({ name, no }) => ({ name, number: no })),
  })
}

function toMessage({ typeName, fields }: UpstreamMessage): DescriptorProto {
  const list = fields.list()
  const optional = list.filter(({ opt }) => opt)
  const maps = list.filter((field) => field.kind === 'map')
  return create(DescriptorProtoSchema, {
    name: lastName(typeName),
    field: list.map((field) => ({
      name: field.name,
      number: field.no,
      jsonName: field.jsonName,
      label: field.repeated || field.kind === 'map' ? REPEATED : OPTIONAL,
      ...typeOf(field, typeName),
      ...(field.opt && { proto3Optional: true, oneofIndex: optional.indexOf(field) }),
    })),
    // As protoc writes an optional proto3 field.
    oneofDecl: optional.map(({ name }) => ({ name: `_${name}` })),
    nestedType: maps.map((field) => ({
      name: entryName(field.name),
      field: [
        { name: 'key', jsonName: 'key', number: 1, label: OPTIONAL, type: field.K },
        { name: 'value', jsonName: 'value', number: 2, label: OPTIONAL, ...messageType(field.V.T) },
      ],
      options: { mapEntry: true },
    })),
  })
}

function typeOf(
  field: UpstreamField,
  owner: string,
): Pick<Partial<FieldDescriptorProto>, 'type' | 'typeName'> {
  if (field.kind === 'message') return messageType(field.T)
  if (field.kind === 'enum') return { type: ENUM, typeName: `.${field.T.typeName}` }
  if (field.kind === 'map') return { type: MESSAGE, typeName: `.${owner}.${entryName(field.name)}` }
  return { type: field.T as FieldDescriptorProto_Type }
}

function messageType({ typeName }: UpstreamMessage) {
  return { type: MESSAGE, typeName: `.${typeName}` }
}

function entryName(field: string): string {
  const words = field.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Entry`
}
