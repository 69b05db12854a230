// Answers put together from messages that are encoded already: most of what a call gives was given before.

import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { WireType } from '@bufbuild/protobuf/wire'
import type { Rpcs } from './messages.ts'

/** Handlers that give their answer encoded. */
export type EncodedRpcs = {
  [Name in keyof Rpcs]?: (request: Parameters<NonNullable<Rpcs[Name]>>[0]) => Uint8Array
}

/** A message without any field. */
export const NO_FIELDS = new Uint8Array(0)

export function encode<Desc extends DescMessage>(
  schema: Desc,
  init: MessageInitShape<Desc>,
): Uint8Array {
  return toBinary(schema, create(schema, init))
}

/** Of a call's answer, which may be encoded already. */
export function encodedOf(schema: DescMessage, answer: object): Uint8Array {
  return answer instanceof Uint8Array ? answer : encode(schema, answer as never)
}

/** What stands in repeated fields, by their numbers, each below 16: messages, texts, or one packed list. */
export function answerOf(fields: Record<number, readonly Uint8Array[]>): Uint8Array {
  const numbers = Object.keys(fields).map(Number)
  let size = 0
  for (const number of numbers) for (const { length } of fields[number]!) size += sizeOf(length)
  const answer = roomFor(size)
  let at = 0
  for (const number of numbers) {
    const tag = (number << 3) | WireType.LengthDelimited
    for (const one of fields[number]!) {
      answer[at] = tag
      at = writeVarint(answer, one.length, at + 1)
      answer.set(one, at)
      at += one.length
    }
  }
  return answer
}

/** Answers are soon sent and never kept, so many share one piece of memory: one of its own costs more than filling it. */
const SHARED_BYTES = 1 << 19
let shared = Buffer.alloc(0)
let used = 0

function roomFor(size: number): Buffer {
  if (size > SHARED_BYTES / 4) return Buffer.allocUnsafeSlow(size)
  if (used + size > shared.length) {
    shared = Buffer.allocUnsafeSlow(SHARED_BYTES)
    used = 0
  }
  used += size
  return shared.subarray(used - size, used)
}

/** Texts as `answerOf` takes them. */
export function texts(all: readonly string[]): Uint8Array[] {
  return all.map((one) => (one === '' ? NO_FIELDS : Buffer.from(one)))
}

/** Numbers of a list, none below 0, as `answerOf` takes them: none where there are none. */
export function packed(numbers: readonly number[]): Uint8Array[] {
  if (numbers.length === 0) return []
  const bytes = Buffer.allocUnsafe(numbers.length * MAX_VARINT_BYTES)
  let at = 0
  for (const one of numbers) at = writeVarint(bytes, one, at)
  return [bytes.subarray(0, at)]
}

const MAX_VARINT_BYTES = 5
const TAG_BYTES = 1

function sizeOf(length: number): number {
  let size = TAG_BYTES + length + 1
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) size++
  return size
}

/** @returns where it goes on. */
function writeVarint(bytes: Uint8Array, value: number, at: number): number {
  let rest = value
  let to = at
  for (; rest > 0x7f; rest >>>= 7) bytes[to++] = (rest & 0x7f) | 0x80
  bytes[to++] = rest
  return to
}

/** Fields of the second count beside, and before, those of the first. */
export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return Buffer.concat([first, second])
}
