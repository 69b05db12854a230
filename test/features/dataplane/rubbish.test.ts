// Well-formed messages with rubbish in every field: each call answers or names the mistake, and none fails
// internally.

import {
  create,
  type DescField,
  type DescMessage,
  type DescService,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf'
import { Code, type ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { Service as BsyncService } from '../../../src/features/dataplane/generated/bsync-pb.ts'
import { type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import { type DataplaneWorld, startDataplaneOver } from './dataplane-world.ts'

const TIMES = 5
const MAX_DEPTH = 4

let ours: HydratedWorld
let dataplane: DataplaneWorld
beforeAll(async () => {
  ours = hydrateWorld(randomWorld(createRandom(12), 40))
  dataplane = await startDataplaneOver(ours)
})
afterAll(async () => {
  await dataplane.close()
  ours.close()
})

const texts = [
  ...['', 'x', '\0', '%', '"', '*', '-', '#', '@', '(((', '__proto__', 'constructor', 'NaN'],
  ...['did:', 'did:plc:', 'did:web:a', `did:plc:${'z'.repeat(3_000)}`],
  ...['at://', 'at://x/y/z', 'at://did:plc:a/app.bsky.feed.post/..', 'at://did:plc:a/__proto__/a'],
  ...[`at://did:plc:a/app.bsky.feed.like/${'a'.repeat(3_000)}`, 'é'.repeat(1_000), '9'.repeat(400)],
  ...['1__1', '1::a', '99999999999999999999__1', '2020-', '2020-01-01T00:00:00Z', '-1'],
  ...['NEAR(a b)', 'a AND', 'from:x from:', 'since:zzz until:zzz', 'domain:', 'url:http://'],
  ...['{}', '[]', 'null', '{"subject":1}', '{"draft":{}}', 'app.bsky.draft.defs#draftWithId'],
]
const numbers = [0, -1, 1, 50, 1_001, 2_147_483_647, -2_147_483_648]
const seconds = [0n, -1n, 253_402_300_800n, 9_223_372_036_854_775_807n, -(2n ** 63n)]

function scalarOf(scalar: ScalarType, random: Random): unknown {
  if (scalar === ScalarType.STRING) return random.pick(texts)
  if (scalar === ScalarType.BYTES) return Buffer.from(random.pick(texts))
  if (scalar === ScalarType.BOOL) return random.chance(0.5)
  if (scalar === ScalarType.INT64) return random.pick(seconds)
  const number = random.pick(numbers)
  return scalar === ScalarType.UINT32 ? Math.abs(number) : number
}

function fieldOf(field: DescField, random: Random, depth: number): unknown {
  const run = () => {
    if (field.message) return depth > 0 ? rubbish(field.message, random, depth - 1) : undefined
    if (field.enum) return random.pick([0, 1, 2, 99])
    return scalarOf(field.scalar ?? ScalarType.STRING, random)
  }
  if (field.fieldKind === 'map') return {}
  if (field.fieldKind === 'list') return Array.from({ length: random.below(4) }, run)
  return run()
}

function rubbish(
  desc: DescMessage,
  random: Random,
  depth: number,
): MessageShape<DescMessage> | undefined {
  const fields = desc.fields
    .filter(({ oneof }) => !oneof && random.chance(0.8))
    .map((field) => [field.localName, fieldOf(field, random, depth)])
  return create(desc, Object.fromEntries(fields.filter(([, value]) => value !== undefined)))
}

const MAY_SAY = [Code.InvalidArgument, Code.NotFound, Code.Unimplemented]
const waits = (name: string) => name.startsWith('scan')

describe.each([
  ['bsky', Service],
  ['bsync', BsyncService],
] as [string, DescService][])('%s.Service', (_name, service) => {
  const methods = service.methods.filter((method) => !waits(method.localName))

  test.each(methods.map((method) => [method.localName, method.input] as const))(
    '%s',
    async (name, input) => {
      const transport = createGrpcTransport({ baseUrl: dataplane.url })
      const call = (createClient(service, transport) as Record<string, AnyCall>)[name]!
      const random = createRandom(5)
      for (let i = 0; i < TIMES; i++) {
        const request = rubbish(input, random, MAX_DEPTH)!
        const error: ConnectError | undefined = await call(request).then(
          () => undefined,
          (thrown) => thrown,
        )
        if (!error || MAY_SAY.includes(error.code)) continue
        expect({ request, code: error.code }).toEqual(undefined)
      }
    },
  )
})

type AnyCall = (item: object) => Promise<object>
