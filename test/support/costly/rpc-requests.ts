// Calls of the dataplane interface, made from its descriptors: each call for each subject, with lists as long as
// allowed, numbers and flags at both ends, and each value of an enum. A new call is asked without a line here.

import type { DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf'
import { ScalarType } from '@bufbuild/protobuf'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { Service as BsyncService } from '../../../src/features/dataplane/generated/bsync-pb.ts'
import { crowd } from './acts.ts'
import type { Request } from './requests.ts'
import { type Cast, COLLECTOR, HERMIT, MEMBER, PROLIFIC, WHALE } from './worst-rows.ts'

type Message = Record<string, unknown>
/** The i-th variant of a message's values. */
type Drawn = { cast: Cast; i: number }

/** As many as one call may name; fewer in a small world. */
const MOST_NAMED = 10_000
const ROWS_A_NAME = 5
const MOST_PRESENTED = [1_000, 2_147_483_647]
/** One for each actor, and both values of what has two, for each viewer. */
const VARIANTS = 6
const ACTORS = [MEMBER, WHALE, HERMIT, COLLECTOR, PROLIFIC, crowd(0)]
const TERMS = [
  'many',
  'wörter alt tag1 post',
  '"of many words" -tied',
  'of of of',
  'c*',
  'post 投稿 🦋',
]
/** They would end what the others are asked about, or change it for all of them. */
const LEFT_OUT = /^(takedown|untakedown|updateActorUpstreamStatus|clear)/

export function rpcRequests(cast: Cast): Request[] {
  const services: readonly DescService[] = [Service, BsyncService]
  return services.flatMap(({ methods }) => methods.flatMap((method) => callsOf(method, cast)))
}

function callsOf(method: DescMethod, cast: Cast): Request[] {
  const { localName, input, parent } = method
  if (LEFT_OUT.test(localName)) return []
  // Each of them waits ten seconds for something new, whatever it is asked.
  const isScan = localName.startsWith('scan')
  const isPaged = !isScan && input.fields.some(({ localName: name }) => name === 'cursor')
  const count = isScan || input.fields.length === 0 ? 1 : VARIANTS
  return Array.from({ length: count }, (_, i) => ({
    method: `${parent.typeName}/${localName}`,
    path: `/${parent.typeName}/${localName}`,
    rpc: { service: parent, name: localName, message: () => messageOf(input, { cast, i }) },
    isPaged,
  }))
}

function messageOf({ fields, typeName }: DescMessage, drawn: Drawn): Message {
  if (typeName === 'google.protobuf.Timestamp')
    return { seconds: BigInt(drawn.i % 2) * 2_000_000_000n }
  const named = fields.filter(({ localName: name }) => name !== 'cursor')
  return Object.fromEntries(named.map((field) => [field.localName, drawnFor(field, drawn)]))
}

function drawnFor(field: DescField, drawn: Drawn): unknown {
  const { i } = drawn
  switch (field.fieldKind) {
    case 'message':
      return messageOrRef(field.message, drawn)
    case 'enum':
      return field.enum.values[i % field.enum.values.length]!.number
    case 'list':
      return listOf(field, drawn)
    case 'map':
      return {}
    case 'scalar':
      return scalarOf(field, drawn)
  }
}

function scalarOf({ localName, scalar }: DescField & { scalar: ScalarType }, { cast, i }: Drawn) {
  if (scalar === ScalarType.BOOL) return i % 2 === 1
  if (scalar === ScalarType.INT32) return MOST_PRESENTED[i % MOST_PRESENTED.length]
  if (scalar === ScalarType.BYTES) return Buffer.alloc(1_000)
  const texts = textsFor(localName, cast)
  return texts[i % texts.length]
}

function listOf(field: DescField & { fieldKind: 'list' }, drawn: Drawn): unknown[] {
  const { cast, i } = drawn
  const length = Math.min(MOST_NAMED, Math.ceil(cast.rows / ROWS_A_NAME))
  // Every other call names one thing, again and again.
  const isSame = i % 2 === 1
  const of = (n: number) => (isSame ? i : n)
  if (field.listKind === 'message') {
    return Array.from({ length }, (_, n) => messageOrRef(field.message, { cast, i: of(n) }))
  }
  const texts = textsFor(field.localName, cast)
  const more = texts[0]?.startsWith('did:')
    ? (n: number) => crowd(n)
    : (n: number) => texts[n % texts.length]
  return Array.from({ length }, (_, n) => texts[of(n)] ?? more(of(n)))
}

function messageOrRef(message: DescMessage, drawn: Drawn): Message {
  if (message.name !== 'RecordRef') return messageOf(message, drawn)
  const uris = urisOf(drawn.cast)
  return { uri: uris[drawn.i % uris.length], cid: '' }
}

function textsFor(name: string, cast: Cast): readonly string[] {
  if (/dids?$/i.test(name)) return [...ACTORS, ...cast.actors]
  if (/listUris?$/.test(name)) return cast.lists
  if (/uris?$/i.test(name) || /^(threadRoots?|subject|subjects)$/.test(name)) return urisOf(cast)
  if (/^(term|query|value|q)$/.test(name)) return TERMS
  if (/handle/.test(name)) return ['crowd.test', 'member.test']
  if (name === 'sort') return ['', 'asc', 'desc']
  return ['']
}

function urisOf({ posts, large, lists, feeds, packs, many }: Cast): readonly string[] {
  return [...posts, ...large, ...lists, ...feeds, ...packs, ...many]
}
