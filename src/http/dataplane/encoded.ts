// Answers put together from messages that are encoded already: most of what a call gives was given before.

import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
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

/** The messages of repeated fields, by their numbers. */
export function answerOf(fields: Record<number, readonly Uint8Array[]>): Uint8Array {
  const writer = new BinaryWriter()
  for (const [number, messages] of Object.entries(fields)) {
    for (const one of messages) writer.tag(Number(number), WireType.LengthDelimited).bytes(one)
  }
  return writer.finish()
}

/** Fields of the second count beside, and before, those of the first. */
export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return Buffer.concat([first, second])
}
