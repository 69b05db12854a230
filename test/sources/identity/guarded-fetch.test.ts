// The guarded fetch against real servers that misbehave in every way listed in issue 5, item 12.
// `allowPrivateHosts` turns off the address check only; everything else has to hold there too. Address and
// protocol checks are tested without it, with names that resolve as an attacker likes, and a listening socket
// that must never see a connection.

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { FetchError } from '../../../src/sources/identity/fetch-error.ts'
import {
  createGuardedFetch,
  type FetchOptions,
  type GuardedFetch,
} from '../../../src/sources/identity/guarded-fetch.ts'

const servers: Server[] = []

type Listening = { origin: string; port: number; connections: () => number; paths: string[] }

async function listen(handler: RequestListener): Promise<Listening> {
  let connections = 0
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    handler(request, response)
  })
  server.on('connection', () => {
    connections += 1
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, port, connections: () => connections, paths }
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const open = createGuardedFetch({ allowPrivateHosts: true })

/** Returns the reason why there was no answer, or the status if there was one. */
async function outcome(fetch: GuardedFetch, url: string, options?: FetchOptions) {
  try {
    return (await fetch(url, options)).status
  } catch (error) {
    if (error instanceof FetchError) return error.reason
    throw error
  }
}

describe('where a stranger may send us', () => {
  const strict = createGuardedFetch({
    allowPrivateHosts: false,
    lookup: async () => ['127.0.0.1'],
  })

  test.each(['http://example.org/', 'http://localhost/', 'HTTP://EXAMPLE.ORG'])(
    '%s is refused: not https',
    async (url) => expect(await outcome(strict, url)).toBe('protocol'),
  )

  test.each(['ftp://example.org/', 'file:///etc/passwd', 'data:text/plain,x', 'ws://example.org'])(
    '%s is refused even if private hosts are allowed',
    async (url) => expect(await outcome(open, url)).toBe('protocol'),
  )

  test.each([
    'https://user:secret@example.org/',
    'https://user@example.org/',
    'https://:secret@example.org/',
  ])('credentials in %s are refused', async (url) => {
    expect(await outcome(strict, url)).toBe('bad-url')
    expect(await outcome(open, url)).toBe('bad-url')
  })

  test.each(['', 'example.org', 'https://', '//example.org/', `https://a/${'x'.repeat(9000)}`])(
    'refuses an invalid URL (%#)',
    async (url) => expect(await outcome(strict, url)).toBe('bad-url'),
  )

  test.each([
    ['dotted', '127.0.0.1'],
    ['short', '127.1'],
    ['one number', '2130706433'],
    ['hexadecimal', '0x7f000001'],
    ['hexadecimal by parts', '0x7f.0.0.0x1'],
    ['octal', '0177.0.0.1'],
    ['octal, one number', '017700000001'],
    ['mixed', '0x7f.1'],
    ['percent-encoded', '%31%32%37.0.0.1'],
    ['full-width digits', '１２７.0.0.1'],
    ['ideographic full stops', '127。0。0。1'],
    ['trailing dot', '127.0.0.1.'],
    ['any address', '0.0.0.0'],
    ['any address, one number', '0'],
    ['any address, hexadecimal', '0x0'],
    ['leading zeros', '127.000.000.001'],
    ['private in octal', '0300.0250.0.1'],
    ['circled digits', '①②⑦.⓪.⓪.①'],
    ['any IPv6 address', '[::]'],
    ['IPv4-compatible', '[::127.0.0.1]'],
    ['IPv4-translated', '[::ffff:0:127.0.0.1]'],
    ['site-local', '[fec0::1]'],
    ['IPv6 loopback', '[::1]'],
    ['IPv6 loopback in full', '[0:0:0:0:0:0:0:1]'],
    ['IPv4-mapped', '[::ffff:127.0.0.1]'],
    ['IPv4-mapped in hexadecimal', '[::ffff:7f00:1]'],
    ['NAT64', '[64:ff9b::7f00:1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['link-local', '[fe80::1]'],
    ['unique local', '[fd00::1]'],
    ['metadata service', '169.254.169.254'],
    ['public', '93.184.216.34'],
    ['public IPv6', '[2606:4700:4700::1111]'],
  ])('refuses an address instead of a name: %s', async (_spelling, host) => {
    const { port, connections } = await listen((_request, response) => response.end())
    expect(await outcome(strict, `https://${host}:${port}/`)).toBe('ip-literal')
    expect(connections()).toBe(0)
  })

  test.each([
    ['loopback', ['127.0.0.1']],
    ['a private network', ['10.0.0.7']],
    ['CGNAT', ['100.64.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['benchmarks', ['198.18.0.1']],
    ['multicast', ['224.0.0.1']],
    ['IPv6 loopback', ['::1']],
    ['unique local', ['fd00::1']],
    ['IPv6 link-local', ['fe80::1']],
    ['IPv4-mapped', ['::ffff:127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['6to4', ['2002:7f00:1::']],
    ['Teredo', ['2001:0:7f00:1::1']],
    ['public and private together', ['93.184.216.34', '127.0.0.1']],
    ['private behind IPv6', ['2606:4700::1111', '::1']],
  ])('refuses a name that resolves to %s', async (_where, addresses) => {
    const { port, connections } = await listen((_request, response) => response.end())
    const fetch = createGuardedFetch({ allowPrivateHosts: false, lookup: async () => addresses })
    expect(await outcome(fetch, `https://attacker.example:${port}/`)).toBe('private-address')
    expect(connections()).toBe(0)
  })

  test('refuses localhost by name with the real resolver', async () => {
    const { port, connections } = await listen((_request, response) => response.end())
    const fetch = createGuardedFetch({ allowPrivateHosts: false })
    expect(['private-address', 'dns']).toContain(await outcome(fetch, `https://localhost:${port}/`))
    expect(connections()).toBe(0)
  })

  test('connects to the address of its single look-up, without a second one', async () => {
    const { port } = await listen((_request, response) => response.end('pinned'))
    const requested: string[] = []
    const fetch = createGuardedFetch({
      allowPrivateHosts: true,
      lookup: async (name) => {
        requested.push(name)
        return requested.length === 1 ? ['127.0.0.1'] : ['192.0.2.1']
      },
    })
    const response = await fetch(`http://rebinding.invalid:${port}/`)
    expect(response.body.toString()).toBe('pinned')
    expect(requested).toEqual(['rebinding.invalid'])
  })

  test('reports a name that does not resolve as such', async () => {
    const nowhere = async () => []
    const fetch = createGuardedFetch({ allowPrivateHosts: false, lookup: nowhere })
    expect(await outcome(fetch, 'https://nowhere.example/')).toBe('dns')
  })

  test('allows a private origin only if the operator named it', async () => {
    const named = await listen((_request, response) => response.end('plc'))
    const other = await listen((_request, response) => response.end('secret'))
    const fetch = createGuardedFetch({ allowPrivateHosts: false, trustedOrigins: [named.origin] })
    expect(await outcome(fetch, `${named.origin}/did:plc:x`)).toBe(200)
    expect(await outcome(fetch, other.origin)).toBe('protocol')
    expect(other.connections()).toBe(0)
  })
})

describe('redirects', () => {
  test('are followed to the end, and the final URL is returned', async () => {
    const { origin } = await listen((request, response) => {
      const step = Number(request.url?.slice(1))
      if (step === 3) return response.end('here')
      response.writeHead(302, { location: `/${step + 1}` }).end()
    })
    const response = await open(`${origin}/0`)
    expect([response.status, response.url]).toEqual([200, `${origin}/3`])
    expect(response.body.toString()).toBe('here')
  })

  test('fail beyond the limit, and at once if none is allowed', async () => {
    const { origin, paths } = await listen((request, response) => {
      response.writeHead(302, { location: `${request.url}x` }).end()
    })
    expect(await outcome(open, `${origin}/`)).toBe('redirect')
    expect(paths).toHaveLength(4)
    expect(await outcome(open, `${origin}/`, { maxRedirects: 0 })).toBe('redirect')
    expect(paths).toHaveLength(5)
  })

  test.each([
    ['another private origin', (port: number) => `http://127.0.0.1:${port}/`, 'protocol'],
    ['loopback over https', (port: number) => `https://127.0.0.1:${port}/`, 'ip-literal'],
    ['the metadata service', () => 'https://169.254.169.254/latest/meta-data', 'ip-literal'],
    ['any address', (port: number) => `https://0.0.0.0:${port}/`, 'ip-literal'],
    ['any IPv6 address', (port: number) => `https://[::]:${port}/`, 'ip-literal'],
    ['IPv4-mapped', (port: number) => `https://[::ffff:7f00:1]:${port}/`, 'ip-literal'],
    ['a trailing dot', (port: number) => `https://0x7f.1.:${port}/`, 'ip-literal'],
    ['a name on loopback', (port: number) => `https://inner.example:${port}/`, 'private-address'],
    ['another protocol', () => 'file:///etc/passwd', 'protocol'],
    ['credentials', () => 'https://user:secret@example.org/', 'bad-url'],
    ['nowhere', () => '', 'redirect'],
    ['no URL', () => 'http://[', 'redirect'],
  ])('to %s are refused', async (_where, target, reason) => {
    const inner = await listen((_request, response) => response.end('secret'))
    const outer = await listen((_request, response) => {
      response.writeHead(302, { location: target(inner.port) }).end()
    })
    const fetch = createGuardedFetch({
      allowPrivateHosts: false,
      trustedOrigins: [outer.origin],
      lookup: async () => ['127.0.0.1'],
    })
    expect(await outcome(fetch, outer.origin)).toBe(reason)
    expect(inner.connections()).toBe(0)
  })

  test('do not carry a token to another origin', async () => {
    const seen: (string | undefined)[] = []
    const inner = await listen((request, response) => {
      seen.push(request.headers.authorization, request.headers.accept)
      response.end()
    })
    const outer = await listen((_request, response) => {
      response.writeHead(307, { location: inner.origin }).end()
    })
    await open(outer.origin, { headers: { Authorization: 'Bearer secret', accept: 'text/plain' } })
    expect(seen).toEqual([undefined, 'text/plain'])
  })

  test('never repeat a POST', async () => {
    const inner = await listen((_request, response) => response.end())
    const outer = await listen((_request, response) => {
      response.writeHead(307, { location: inner.origin }).end()
    })
    expect(await outcome(open, outer.origin, { method: 'POST', body: 'x' })).toBe('redirect')
    expect(inner.connections()).toBe(0)
  })
})

describe('sizes', () => {
  test('accepts an answer of exactly the limit, and refuses one byte more', async () => {
    const { origin } = await listen((request, response) => {
      response.end('x'.repeat(Number(request.url?.slice(1))))
    })
    const fits = await open(`${origin}/5000`, { maxBytes: 5000 })
    expect(fits.body).toHaveLength(5000)
    expect(await outcome(open, `${origin}/5001`, { maxBytes: 5000 })).toBe('too-large')
  })

  test('cuts off an endless answer', async () => {
    const { origin } = await listen((_request, response) => {
      const more = () => response.write(Buffer.alloc(10_000), () => setImmediate(more))
      more()
    })
    expect(await outcome(open, origin, { maxBytes: 100_000 })).toBe('too-large')
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('decompresses a %s answer', async (encoding, compress) => {
    const { origin } = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(compress('hello'))
    })
    expect((await open(origin)).body.toString()).toBe('hello')
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('stops a %s bomb by its decompressed size', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(50_000_000))
    const { origin } = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb)
    })
    expect(bomb.length).toBeLessThan(100_000)
    expect(await outcome(open, origin, { maxBytes: 100_000 })).toBe('too-large')
  })

  test('stops compressed empty blocks by their compressed size', async () => {
    const header = gzipSync('').subarray(0, 10)
    const emptyBlocks = Buffer.alloc(5 * 2000, Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]))
    const { origin } = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.write(header)
      const more = () => response.write(emptyBlocks, () => setImmediate(more))
      more()
    })
    expect(await outcome(open, origin, { maxBytes: 50_000 })).toBe('too-large')
  })

  test.each(['zstd', 'gzip, gzip', 'deflate', 'constructor'])(
    'refuses an encoding that was not requested: %s',
    async (encoding) => {
      const { origin } = await listen((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end('x')
      })
      expect(await outcome(open, origin)).toBe('encoding')
    },
  )

  test.each(['gzip', 'br'])('reports a truncated %s answer as such', async (encoding) => {
    const complete = encoding === 'gzip' ? gzipSync('hello') : brotliCompressSync('x'.repeat(5000))
    const { origin } = await listen((request, response) => {
      const torn = request.url === '/half' ? complete.subarray(0, complete.length - 3) : 'rubbish'
      response.writeHead(200, { 'content-encoding': encoding }).end(torn)
    })
    expect(await outcome(open, `${origin}/half`)).toBe('encoding')
    expect(await outcome(open, `${origin}/rubbish`)).toBe('encoding')
  })
})

describe('timeouts', () => {
  test('gives up on a silent server', async () => {
    const { origin } = await listen(() => undefined)
    expect(await outcome(open, origin, { timeoutMs: 100 })).toBe('timeout')
  })

  test('gives up on a server that drips, however often', async () => {
    const { origin } = await listen((_request, response) => {
      const drip = setInterval(() => response.write('x'), 10)
      response.on('close', () => clearInterval(drip))
    })
    expect(await outcome(open, origin, { timeoutMs: 200 })).toBe('timeout')
  })

  test('redirects share one timeout', async () => {
    const { origin } = await listen((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60)
    })
    expect(await outcome(open, origin, { timeoutMs: 200, maxRedirects: 1000 })).toBe('timeout')
  })

  test('gives up on a look-up that never ends', async () => {
    const lookup = () => new Promise<string[]>(() => undefined)
    const fetch = createGuardedFetch({ allowPrivateHosts: false, lookup })
    expect(await outcome(fetch, 'https://slow.example/', { timeoutMs: 100 })).toBe('timeout')
  })

  test('the caller can abort before and during the request', async () => {
    const { origin } = await listen(() => undefined)
    expect(await outcome(open, origin, { signal: AbortSignal.abort() })).toBe('aborted')
    const stop = new AbortController()
    const running = outcome(open, origin, { signal: stop.signal })
    setTimeout(() => stop.abort(), 20)
    expect(await running).toBe('aborted')
  })
})

test('refuses more concurrent requests than allowed, and frees their slots when they end', async () => {
  const held: (() => void)[] = []
  const { origin } = await listen((_request, response) => held.push(() => response.end()))
  const fetch = createGuardedFetch({ allowPrivateHosts: true, maxInFlight: 2 })
  const running = [outcome(fetch, origin), outcome(fetch, origin)]
  expect(await outcome(fetch, origin)).toBe('busy')
  while (held.length < 2) await new Promise((resolve) => setImmediate(resolve))
  for (const release of held) release()
  expect(await Promise.all(running)).toEqual([200, 200])
  const again = outcome(fetch, origin)
  while (held.length < 3) await new Promise((resolve) => setImmediate(resolve))
  held[2]!()
  expect(await again).toBe(200)
})

test('a POST sends its body and headers, and every status is an answer', async () => {
  const { origin } = await listen((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      response.writeHead(429, { 'retry-after': '7' })
      response.end(`${request.method} ${request.headers['content-type']} ${body}`)
    })
  })
  const headers = { 'content-type': 'application/json' }
  const response = await open(origin, { method: 'POST', headers, body: '{"a":1}' })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('7')
  expect(response.body.toString()).toBe('POST application/json {"a":1}')
})

test('reports a refused connection and a server that does not speak HTTP as such', async () => {
  expect(await outcome(open, 'http://127.0.0.1:1/')).toBe('connect')
  const { createServer: createTcpServer } = await import('node:net')
  const rude = createTcpServer((socket) => socket.end('220 smtp ready\r\n'))
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve))
  const { port } = rude.address() as AddressInfo
  expect(await outcome(open, `http://127.0.0.1:${port}/`)).toBe('connect')
  rude.close()
})
