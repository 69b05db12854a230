// The files in deploy/, checked against the rest of the project: their settings exist, ports match, packages
// are sufficient, and metrics are exported.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../src/base/config/config.ts'
import { everySetting } from '../../src/base/config/every-setting.ts'

const root = resolve(import.meta.dirname, '../..')
const deploy = join(root, 'deploy')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const files = readdirSync(deploy, { recursive: true, withFileTypes: true, encoding: 'utf8' })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))

/** Lines of a KEY=value file. */
function envOf(path: string): Record<string, string> {
  const lines = read(path).split('\n')
  const pairs = lines.map((line) => /^([A-Z_]+)=(.*)$/.exec(line)).filter((item) => item !== null)
  return Object.fromEntries(pairs.map(([, key, value]) => [key, value]))
}

describe('settings', () => {
  /** Settings of compose and Caddy. */
  const notOurs = ['SLIPSTREAM_UPSTREAM']
  const known = [...Object.values(everySetting).map(({ key }) => key), ...notOurs]

  test.each(files)('%s names only existing settings', (path) => {
    const named = readFileSync(path, 'utf8').match(/SLIPSTREAM_[A-Z_]+/g) ?? []
    expect(named.filter((key) => !known.includes(key))).toEqual([])
  })

  test('the example is refused until the host name is set, and then loads', () => {
    const example = envOf('deploy/slipstream.env.example')
    expect(example['SLIPSTREAM_HOSTNAME']).toBe('')
    const env = { ...example, SLIPSTREAM_HOSTNAME: 'appview.example.org' }
    expect(loadConfig(env, '/nonexistent').serviceDid).toBe('did:web:appview.example.org')
  })

  test('commented-out lines of the example would load too', () => {
    const lines = read('deploy/slipstream.env.example').match(/^#(SLIPSTREAM_\w+=.+)$/gm) ?? []
    const env = Object.fromEntries(
      lines.map((line) => line.slice(1).split('=') as [string, string]),
    )
    expect(Object.keys(env)).not.toEqual([])
    expect(() => loadConfig(env, '/nonexistent')).not.toThrow(ConfigError)
  })
})

describe('ports and folders', () => {
  const dockerfile = read('deploy/Dockerfile')
  const compose = read('deploy/compose.yaml')

  test('the port that Slipstream listens on is the one exposed, health-checked and forwarded to', () => {
    expect(/SLIPSTREAM_PORT=(\d+)/.exec(dockerfile)![1]).toBe('3000')
    expect(/^EXPOSE (\d+)/m.exec(dockerfile)![1]).toBe('3000')
    expect(/SLIPSTREAM_PORT: "(\d+)"/.exec(compose)![1]).toBe('3000')
    expect(/expose:\n\s+- "(\d+)"/.exec(compose)![1]).toBe('3000')
    expect(/SLIPSTREAM_UPSTREAM: slipstream:(\d+)/.exec(compose)![1]).toBe('3000')
    expect(read('deploy/caddy/Caddyfile')).toContain('{$SLIPSTREAM_UPSTREAM:127.0.0.1:3000}')
    expect(read('deploy/caddy/Caddyfile')).toContain(
      '@private path /metrics*\n\trespond @private 404',
    )
    expect(read('deploy/prometheus/prometheus.yml')).toContain('127.0.0.1:3000')
    expect(everySetting['port']!.fallback).toBe('3000')
  })

  test('only Caddy is reachable from outside, and Slipstream trusts the client address it reports', () => {
    const [, slipstream = '', caddy = ''] =
      / {2}slipstream:\n([\s\S]*?)\n {2}caddy:\n([\s\S]*)/.exec(compose)!
    expect(slipstream).not.toMatch(/^ {4}ports:/m)
    expect(caddy).toMatch(/^ {4}ports:\n\s+- "80:80"\n\s+- "443:443"/m)
    const proxies = /SLIPSTREAM_TRUSTED_PROXIES: (\S+)/.exec(slipstream)![1]!
    const loaded = loadConfig({ SLIPSTREAM_TRUSTED_PROXIES: proxies }, '/nonexistent')
    expect(loaded.trustedProxies).not.toEqual([])
  })

  test('data is in a volume owned by the image’s account', () => {
    expect(dockerfile).toMatch(/^USER 1000:1000$/m)
    expect(dockerfile).toMatch(/install -d -o 1000 -g 1000 -m 0700 \/data/)
    expect(dockerfile).toMatch(/^VOLUME \/data$/m)
    expect(compose).toMatch(/- data:\/data/)
    expect(compose).toMatch(/^ {2}data:$/m)
  })

  test('both services have a memory limit, and images of one version', () => {
    expect(compose.match(/^ {4}mem_limit: (\$\{MEMORY_LIMIT:-\d+g\}|\d+m)$/gm)).toHaveLength(2)
    expect(compose.match(/^ {4}image: .*$/gm)!.map((line) => line.trim())).toEqual([
      'image: slipstream:local',
      expect.stringMatching(/^image: caddy:\d+\.\d+\.\d+$/),
    ])
  })

  test('every volume and file that compose mounts exists', () => {
    const mounts = [...compose.matchAll(/^ {6}- (\.\/[^:]+|[a-z_]+):\//gm)].map(([, from]) => from!)
    const volumes = /^volumes:\n([\s\S]+)/m.exec(compose)![1]!.match(/[a-z_]+/g)
    for (const from of mounts) {
      if (from.startsWith('.')) expect(existsSync(resolve(deploy, from)), from).toBe(true)
      else expect(volumes).toContain(from)
    }
    expect(mounts.length).toBe(4)
  })

  test('compose allows more time for shutdown than Slipstream needs', () => {
    const grace = Number(/stop_grace_period: (\d+)s/.exec(compose)![1])
    const limit = Number(/STOP_TIMEOUT_MS = (\d+)_000/.exec(read('src/tools/cli/serve.ts'))![1])
    expect(grace).toBeGreaterThan(limit)
  })
})

describe('the image', () => {
  const dockerfile = read('deploy/Dockerfile')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from]) =>
    from!.split(' ').filter((word) => !word.startsWith('--')),
  )

  test('is built from files that exist and are not ignored', () => {
    const letIn = read('deploy/Dockerfile.dockerignore')
      .match(/^!.+$/gm)!
      .map((line) => line.slice(1))
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true)
      expect(letIn).toContain(path)
    }
    expect(read('deploy/Dockerfile.dockerignore')).toMatch(/^\*$/m)
  })

  test('has the Node that package.json names', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>
    }
    const images = [...dockerfile.matchAll(/^FROM node:([\d.]+)-/gm)].map(([, version]) => version)
    for (const machine of ['x64', 'arm64']) {
      const version = optionalDependencies[`node-linux-${machine}`]
      expect(images).toEqual([version, version])
    }
  })

  test('needs no development dependencies', () => {
    const { dependencies } = JSON.parse(read('package.json')) as {
      dependencies: Record<string, string>
    }
    const used = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      // Browsers get libraries as files of ours (npm run bundle).
      .filter((name) => name.endsWith('.ts') && !/\/assets\//.test(name))
      .flatMap((name) => packagesOf(read(join('src', name))))
    const missing = [...new Set(used)].filter((name) => !Object.hasOwn(dependencies, name))
    // Previews work without it where it is not installed (docs/VIDEO.md).
    expect(missing).toEqual(['@napi-rs/webcodecs'])
  })

  function packagesOf(source: string): string[] {
    const lines = source.split('\n').filter((line) => !line.startsWith('import type'))
    const found = lines.flatMap(
      (line) => /(?:^import | from |import\()'([^'.$`][^'$`]*)'/.exec(line) ?? [],
    )
    return found
      .filter((value, i) => i % 2 === 1 && !value.startsWith('node:'))
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      )
  }
})

describe('watched metrics are exported', () => {
  // The page is held to the code by test/http/metrics, and also names what features export.
  const notified = [...read('docs/METRICS.md').matchAll(/^\| `(\w+)` \| (\w+) \|/gm)]
  const names = new Set(
    notified.flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
    ),
  )

  test.each(['deploy/prometheus/alerts.yml', 'deploy/grafana/slipstream.json'])('%s', (path) => {
    const used = new Set(read(path).match(/\b(slipstream|process)_[a-z_]+\b/g))
    expect(used.size).toBeGreaterThan(8)
    expect([...used].filter((name) => !names.has(name))).toEqual([])
  })

  test('Grafana can import the dashboard: every panel has a query and a place', () => {
    const { panels, uid } = JSON.parse(read('deploy/grafana/slipstream.json')) as {
      uid: string
      panels: { id: number; type: string; targets?: { expr: string }[]; gridPos: object }[]
    }
    expect(uid).toBe('slipstream')
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const panel of panels.filter(({ type }) => type !== 'row')) {
      expect(panel.targets!.every(({ expr }) => balanced(expr))).toBe(true)
    }
  })

  test('every alert has a severity, a summary and a description', () => {
    const alerts = read('deploy/prometheus/alerts.yml')
      .split(/^ {6}- alert: /m)
      .slice(1)
    expect(alerts.length).toBeGreaterThan(8)
    for (const alert of alerts) {
      expect(alert).toMatch(/severity: (page|ticket)\n[\s\S]*summary: .+\n\s+description: .+/)
    }
  })

  function balanced(expr: string): boolean {
    const count = (character: string) => expr.split(character).length
    return count('(') === count(')') && count('{') === count('}') && count('[') === count(']')
  }
})

test('every file that deploy/’s text links to exists', () => {
  const pages = files.filter((path) => path.endsWith('.md'))
  for (const page of pages) {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#]+)\)/g)].map(([, to]) => to!)
    for (const link of links) expect(existsSync(resolve(dirname(page), link)), link).toBe(true)
  }
})
