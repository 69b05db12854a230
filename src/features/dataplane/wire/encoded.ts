// Assembles answers from already encoded messages, since most parts of an answer were sent before.

import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { WireType } from '@bufbuild/protobuf/wire'
import type { Rpcs } from './messages.ts'

/** Handlers that return encoded answers. */
export type EncodedRpcs = {
  [Name in keyof Rpcs]?: (
    request: Parameters<NonNullable<Rpcs[Name]>>[0],
  ) => Uint8Array | Promise<Uint8Array>
}

/** A message without fields. */
export const NO_FIELDS = new Uint8Array(0)

export function encode<Desc extends DescMessage>(
  schema: Desc,
  init: MessageInitShape<Desc>,
): Uint8Array {
  return toBinary(schema, create(schema, init))
}

/** Encodes a call's answer unless it is encoded already. */
export function encodedOf(schema: DescMessage, answer: object): Uint8Array {
  return answer instanceof Uint8Array ? answer : encode(schema, answer as never)
}

/**
 * Encodes repeated fields, keyed by field number, each below 16: messages, strings, or one packed
 * list.
 */
export function answerOf(fields: Record<number, readonly Uint8Array[]>): Uint8Array {
  const numbers = Object.keys(fields).map(Number)
  let size = 0
  for (const number of numbers) for (const { length } of fields[number]!) size += sizeOf(length)
  const answer = capacityFor(size)
  let at = 0
  for (const number of numbers) {
    const tag = (number << 3) | WireType.LengthDelimited
    for (const field of fields[number]!) {
      answer[at] = tag
      at = writeVarint(answer, field.length, at + 1)
      answer.set(field, at)
      at += field.length
    }
  }
  return answer
}

/**
 * Answers are sent soon and never kept, so many share one buffer: allocating a buffer costs more
 * than filling it.
 */
const SHARED_BYTES = 1 << 19
let shared = Buffer.alloc(0)
let used = 0

function capacityFor(size: number): Buffer {
  if (size > SHARED_BYTES / 4) return Buffer.allocUnsafeSlow(size)
  if (used + size > shared.length) {
    shared = Buffer.allocUnsafeSlow(SHARED_BYTES)
    used = 0
  }
  used += size
  return shared.subarray(used - size, used)
}

/** Strings as `answerOf` takes them. */
export function texts(all: readonly string[]): Uint8Array[] {
  return all.map((value) => (value === '' ? NO_FIELDS : Buffer.from(value)))
}

/** A packed list of non-negative numbers, as `answerOf` takes it; an empty list gives no field. */
export function packed(numbers: readonly number[]): Uint8Array[] {
  if (numbers.length === 0) return []
  const bytes = Buffer.allocUnsafe(numbers.length * MAX_VARINT_BYTES)
  let at = 0
  for (const number of numbers) at = writeVarint(bytes, number, at)
  return [bytes.subarray(0, at)]
}

const MAX_VARINT_BYTES = 5
const TAG_BYTES = 1

function sizeOf(length: number): number {
  let size = TAG_BYTES + length + 1
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) size++
  return size
}

/** @returns the position after the varint. */
function writeVarint(bytes: Uint8Array, value: number, at: number): number {
  let rest = value
  let to = at
  for (; rest > 0x7f; rest >>>= 7) bytes[to++] = (rest & 0x7f) | 0x80
  bytes[to++] = rest
  return to
}

/** Merges two messages. The second one's fields are added to the first one's and override them. */
export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return Buffer.concat([first, second])
}
