// Changes to a valid frame's text by which a stranger could fool code that looks only at the bytes: other
// spellings of the same value, lookalike values, and broken ones.

import type { Random } from './random.ts'

type Trick = (text: string, random: Random) => string | Buffer

const plain = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes one character of a random match of `pattern`. */
function escapeOne(text: string, random: Random, pattern: RegExp): string {
  const at = pick([...text.matchAll(pattern)], random)
  if (!at) return text
  const position = at.index + random.below(at[0].length)
  return text.slice(0, position) + plain(text[position]!) + text.slice(position + 1)
}

function pick<T>(items: T[], random: Random): T | undefined {
  return items.length > 0 ? random.pick(items) : undefined
}

/** Inserts a member into a random object. */
function insertMember(text: string, random: Random, member: string): string {
  const at = pick([...text.matchAll(/\{(?=")/g)], random)
  if (!at) return text
  return `${text.slice(0, at.index + 1)}${member},${text.slice(at.index + 1)}`
}

function someDid(text: string, random: Random): string {
  return (
    pick(text.match(/did:plc:[a-z2-7]{24}/g) ?? [], random) ?? 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  )
}

function shuffled(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item, random)] as const)
  for (let i = entries.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    ;[entries[i], entries[j]] = [entries[j]!, entries[i]!]
  }
  return Object.fromEntries(entries)
}

const KEYS = [
  'did',
  'subject',
  'uri',
  'record',
  'collection',
  'operation',
  '$type',
  'reply',
  'embed',
  'rkey',
  'rev',
  'cid',
  'kind',
  'time_us',
  'seq',
  'payload',
  '__proto__',
  'x',
]
const VALUES = [
  'null',
  '1',
  '-0.5e+3',
  '01',
  '1e',
  '"x"',
  '{}',
  '[]',
  '[[]]',
  'true',
  'nul',
  '"\\ud800"',
  '"\\u00zz"',
  '"did:web:a.example"',
  '"DID:plc:x"',
  '"did:plc:short"',
  '{"did":"did:key:z"}',
  '"at://did:plc:x"',
  '"I did: it"',
  '9007199254740993',
  '"\u0001"',
]

const tricks: Trick[] = [
  (text, random) => escapeOne(text, random, /did:plc:[a-z2-7]{24}/g),
  (text, random) => escapeOne(text, random, /"[a-z$]+":/g).replace('\\u0022', '"'),
  (text, random) => escapeOne(text, random, /app\.bsky\.[a-z.]+/g),
  (text) => text.replace('at://', 'at:\\/\\/'),
  (text) => text.replace(/(did:plc:[a-z2-7]{24})\/app/, '$1\\/app'),
  (text, random) => JSON.stringify(shuffled(JSON.parse(text), random)),
  (text, random) => JSON.stringify(JSON.parse(text), null, random.below(3)),
  (text, random) => insertMember(text, random, `"${random.pick(KEYS)}":${random.pick(VALUES)}`),
  (text, random) => insertMember(text, random, `"${random.pick(KEYS)}":"${someDid(text, random)}"`),
  (text, random) =>
    insertMember(
      text,
      random,
      `"subject":{"uri":"at://${someDid(text, random)}/app.bsky.feed.post/3k2a4b5c6d7e2"}`,
    ),
  (text, random) => insertMember(text, random, `"via":{"did":["${someDid(text, random)}"]}`),
  (text, random) => text.replace(someDid(text, random), 'did:web:example.org'),
  (text, random) => text.replace(someDid(text, random), `${someDid(text, random)}x`),
  (text, random) => text.replace(someDid(text, random), someDid(text, random).toUpperCase()),
  (text, random) => text.replace(someDid(text, random), `${someDid(text, random)}:more`),
  (text, random) => text.replace(someDid(text, random), `${someDid(text, random)}/x`),
  (text) => text.replace(/"text":"/, '"text":"What I did: it, \\u0026 more\\n\\ud83d\\ude00 '),
  (text) => text.replace(/"text":"/, '"text":"\\ud83d \\u2028'),
  (text) => text.replace(/"text":"/, `"deep":${'['.repeat(130)}${']'.repeat(130)},"text":"`),
  (text) => text.replace(/"text":"/, `"deep":${'{"a":'.repeat(40)}1${'}'.repeat(40)},"text":"`),
  (text) => `${text} `,
  (text) => `\ufeff${text}`,
  (text) => `${text}{}`,
  (text, random) => text.slice(0, random.below(text.length)),
  (text, random) => {
    const bytes = Buffer.from(text)
    bytes[random.below(bytes.length)] = random.below(256)
    return bytes
  },
  (text, random) => {
    const from = random.below(text.length)
    return text.slice(0, from) + random.pick(VALUES) + text.slice(from + random.below(8))
  },
]

/** Returns the frame's bytes after zero or more tricks. */
export function hostileFrame(text: string, random: Random, share: number): Buffer {
  let current: string | Buffer = text
  while (typeof current === 'string' && random.chance(share)) {
    try {
      current = random.pick(tricks)(current, random)
    } catch {
      // Some tricks need well-formed JSON, which an earlier one may have broken.
      break
    }
  }
  return Buffer.from(current)
}
