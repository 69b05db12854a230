// Requests of every call, random and encoded by the library, are decoded as the library decodes them.

import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { Service as BsyncService } from '../../../src/features/dataplane/generated/bsync-pb.ts'
import { createDecoder } from '../../../src/features/dataplane/wire/decoding.ts'
import { createRandom, type Random } from '../../support/random.ts'

const SEED = Number(process.env['SEED'] ?? 20_023)
const methods = [...Service.methods, ...BsyncService.methods]
const TEXTS = ['', 'at://did:plc:a/app.bsky.feed.post/b', 'größer', '日本', 'x'.repeat(300)]

function randomOf(field: DescField, random: Random, depth: number): unknown {
  const kind = field.fieldKind === 'list' ? field.listKind : field.fieldKind
  if (kind === 'message') return randomMessage(field.message!, random, depth - 1)
  if (kind === 'enum') return random.below(3)
  if (field.fieldKind === 'map') return {}
  switch (field.scalar) {
    case ScalarType.STRING:
      return random.pick(TEXTS)
    case ScalarType.BOOL:
      return random.chance(0.5)
    case ScalarType.BYTES:
      return Buffer.from(random.pick(TEXTS))
    case ScalarType.INT64:
      return BigInt(random.below(2 ** 40))
    default:
      return random.below(2 ** 20)
  }
}

function randomMessage(desc: DescMessage, random: Random, depth: number): Record<string, unknown> {
  if (depth < 0) return {}
  const fields = desc.fields.filter((field) => !field.oneof && random.chance(0.7))
  return Object.fromEntries(
    fields.map((field) => {
      const run = () => randomOf(field, random, depth)
      const value =
        field.fieldKind === 'list' ? Array.from({ length: random.below(5) }, run) : run()
      return [field.localName, value]
    }),
  )
}

/** Drops the properties that the library adds to its objects. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => !name.startsWith('$'))
  return Object.fromEntries(entries.map(([name, item]) => [name, plain(item)]))
}

test(`requests are decoded as the library decodes them (SEED=${SEED})`, () => {
  const random = createRandom(SEED)
  for (const { input } of methods) {
    const decode = createDecoder(input)
    for (let i = 0; i < 40; i++) {
      const bytes = toBinary(input, create(input, randomMessage(input, random, 4)))
      // A field of a later version of the request, among the known ones.
      const unknown = random.chance(0.5) ? Buffer.from([0xf8, 0x3f, 0x96, 0x01]) : Buffer.alloc(0)
      const sent = Buffer.concat([unknown, bytes])
      expect(plain(decode(sent)), input.typeName).toEqual(plain(fromBinary(input, sent)))
    }
  }
})

test('a truncated message is refused', () => {
  const { input } = Service.method.getInteractionCounts
  const decode = createDecoder(input)
  const complete = Buffer.from(
    toBinary(input, create(input, { refs: [{ uri: TEXTS[1]!, cid: 'bafy' }] })),
  )
  for (let end = 1; end < complete.length; end++)
    expect(() => decode(complete.subarray(0, end))).toThrow()
  expect(decode(complete)).toMatchObject({ refs: [{ uri: TEXTS[1], cid: 'bafy' }] })
})
