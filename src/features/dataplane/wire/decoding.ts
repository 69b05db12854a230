// Decodes requests into plain objects. A frontend asks for hundreds of at-URIs in a call, for which the
// library's message objects and its reader of short strings took a third of all memory that a call allocates.
// Features that no current request uses (maps, groups, oneofs, other kinds of field) fall back to the
// library.

import { type DescField, type DescMessage, fromBinary, ScalarType } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'

type Decode = (bytes: Buffer) => object
type Fields = Record<string, unknown>
type Value = (reader: BinaryReader, bytes: Buffer) => unknown
type Field = { name: string; wireType: WireType; isList: boolean; value: Value }
type Plan = { zero: Fields; lists: readonly string[]; fields: readonly (Field | undefined)[] }

/** Nesting depth of messages; no request is deeper. */
const MAX_DEPTH = 8

export function createDecoder(desc: DescMessage): Decode {
  const plan = planOf(desc, MAX_DEPTH)
  if (!plan) return (bytes) => fromBinary(desc, bytes)
  return (bytes) => read(plan, { reader: new BinaryReader(bytes), bytes, end: bytes.length })
}

/** undefined: the message has fields that this decoder does not support. */
function planOf(desc: DescMessage, depth: number): Plan | undefined {
  const fields: Field[] = []
  const [zero, lists]: [Fields, string[]] = [{}, []]
  for (const item of desc.fields) {
    const field = item.oneof || depth === 0 ? undefined : fieldOf(item, depth)
    if (!field) return undefined
    fields[item.number] = field
    zero[field.name] = zeroOf(item)
    if (field.isList) lists.push(field.name)
  }
  return { zero, lists, fields }
}

function zeroOf(field: DescField): unknown {
  if (field.fieldKind === 'enum') return field.presence === IMPLICIT ? 0 : undefined
  if (field.fieldKind !== 'scalar' || field.presence !== IMPLICIT) return undefined
  return scalars.get(field.scalar)!.zero
}

/** Missing fields have the zero value. */
const { IMPLICIT } = FeatureSet_FieldPresence

const scalars = new Map<ScalarType, { zero: unknown; wireType: WireType; value: Value }>([
  [ScalarType.STRING, { zero: '', wireType: WireType.LengthDelimited, value: textOf }],
  [ScalarType.BYTES, bytesWith(new Uint8Array(0))],
  [ScalarType.BOOL, varint(false, (reader) => reader.bool())],
  [ScalarType.INT32, varint(0, (reader) => reader.int32())],
  [ScalarType.UINT32, varint(0, (reader) => reader.uint32())],
  [ScalarType.INT64, varint(0n, (reader) => BigInt(reader.int64()))],
])

function varint(zero: unknown, value: Value) {
  return { zero, wireType: WireType.Varint, value }
}

function bytesWith(zero: Uint8Array) {
  const value: Value = (reader) => reader.bytes()
  return { zero, wireType: WireType.LengthDelimited, value }
}

function textOf(reader: BinaryReader, bytes: Buffer): string {
  const length = reader.uint32()
  const start = reader.pos
  reader.pos = endOf(reader, length)
  return bytes.toString('utf8', start, reader.pos)
}

/** @throws Error if the length exceeds the message */
function endOf(reader: BinaryReader, length: number): number {
  const end = reader.pos + length
  if (end > reader.len) throw new RangeError('premature end')
  return end
}

function fieldOf(field: DescField, depth: number): Field | undefined {
  const isList = field.fieldKind === 'list'
  const kind = isList ? field.listKind : field.fieldKind
  const parts = { name: field.localName, isList }
  if (kind === 'message' && field.message) return messageField(field.message, parts, depth)
  if (kind === 'enum' && !isList) return { ...parts, ...varint(0, (reader) => reader.int32()) }
  const scalar = kind === 'scalar' && field.scalar ? scalars.get(field.scalar) : undefined
  // Lists of numbers may be packed.
  if (!scalar || (isList && scalar.wireType === WireType.Varint)) return undefined
  return { ...parts, wireType: scalar.wireType, value: scalar.value }
}

function messageField(
  message: DescMessage,
  parts: { name: string; isList: boolean },
  depth: number,
): Field | undefined {
  const plan = planOf(message, depth - 1)
  if (!plan) return undefined
  const value: Value = (reader, bytes) => {
    const length = reader.uint32()
    return read(plan, { reader, bytes, end: endOf(reader, length) })
  }
  return { ...parts, wireType: WireType.LengthDelimited, value }
}

function read(
  { zero, lists, fields }: Plan,
  { reader, bytes, end }: { reader: BinaryReader; bytes: Buffer; end: number },
): Fields {
  const message: Fields = { ...zero }
  for (const name of lists) message[name] = []
  while (reader.pos < end) {
    const tag = reader.uint32()
    const [number, wireType] = [tag >>> 3, tag & 7]
    const field = fields[number]
    if (field?.wireType !== wireType) {
      reader.skip(wireType, number)
      continue
    }
    const value = field.value(reader, bytes)
    if (field.isList) (message[field.name] as unknown[]).push(value)
    else message[field.name] = value
  }
  if (reader.pos > end) throw new RangeError('a field goes on behind its message')
  return message
}
