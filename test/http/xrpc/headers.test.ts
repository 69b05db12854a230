// The two request headers that we parse ourselves: accepted encodings and accepted labelers.

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { chooseEncoding, compress } from '../../../src/http/server/compression.ts'
import { parseAcceptLabelers } from '../../../src/http/server/labelers.ts'
import { formatLabelers } from '../../../src/http/xrpc/call.ts'

describe('accept-encoding', () => {
  test.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['br, deflate', 'br'],
    ['GZIP', 'gzip'],
    ['deflate', 'deflate'],
    ['identity;q=1,gzip;q=0.3,deflate;q=0.2', 'identity'],
    ['gzip;q=0.5, br;q=0.4', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, *;q=0.1', 'br'],
    ['identity', 'identity'],
    ['zstd', 'zstd'],
    ['zstd;q=0.5, gzip', 'gzip'],
    ['compress, x-gzip', 'identity'],
    ['gzip; q=0.9, br; q=1.0', 'br'],
    ['gzip;q=rubbish', 'identity'],
    ['identity;q=0, gzip;q=0.001', 'gzip'],
  ])('%s → %s', (header, encoding) => expect(chooseEncoding(header)).toBe(encoding))

  test.each([
    ['gzip', gunzipSync],
    ['deflate', inflateSync],
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
  ] as const)('%s decompresses to the original, and is smaller', async (encoding, decompress) => {
    const body = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ item: i }))))
    const compressed = await compress(body, encoding)
    expect(decompress(compressed).equals(body)).toBe(true)
    expect(compressed.length).toBeLessThan(body.length / 2)
  })
})

describe('atproto-accept-labelers', () => {
  const a = 'did:plc:ar7c4by46qjdydhdevvrndac'
  const b = 'did:web:labeler.example.org'

  test.each([
    [a, [a], []],
    [`${a};redact`, [a], [a]],
    [`${a};redact, ${b}`, [a, b], [a]],
    [` ${a}; redact=?1 ,\t${b};other=1;more="a,b;\\"c";date=@1;x=1.5;y=:YQ==:`, [a, b], [a]],
    [`"${a}";redact`, [a], [a]],
    [`${a};redact;redact=?0`, [a], []],
    [`${a};redact=?0;redact`, [a], [a]],
    [`${a};redact="?1"`, [a], []],
    [`${a};redact=1, ${b};redact`, [a, b], [b]],
    ['  ', [], []],
    [`${a};redact=?0`, [a], []],
    [`${a}, ${a};redact`, [a], [a]],
    ['', [], []],
  ])('%s', (header, dids, redact) => {
    const parsed = parseAcceptLabelers(header)
    expect(parsed?.dids).toEqual(dids)
    expect([...(parsed?.redact ?? [])]).toEqual(redact)
  })

  test.each([
    ['missing', undefined],
    ['a value that is not a DID', 'labeler.example.org'],
    ['a DID among invalid entries', `${a}, x y z`],
    ['a space before a parameter', `${a} ;redact`],
    ['a parameter in upper case', `${a};REDACT`],
    ['a comma at the end', `${a},`],
    ['two commas', `${a},,${b}`],
    ['no comma', `${a} ${b}`],
    ['a list inside', `(${a} ${b})`],
    ['an open string', `"${a}`],
    ['an empty parameter', `${a};`],
    ['a number', '42'],
    ['other characters', `${a}é`],
    ['an overlong list', Array.from({ length: 41 }, (_, i) => `did:web:l${i}.example`).join(',')],
  ])('%s counts as absent', (_what, header) => {
    expect(parseAcceptLabelers(header)).toBeUndefined()
  })

  test('formats back to what was parsed', () => {
    const labelers = parseAcceptLabelers(`${a};redact, ${b}`)!
    expect(formatLabelers(labelers)).toBe(`${a};redact,${b}`)
  })
})
