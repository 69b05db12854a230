// Lints the repository itself: which circle may import which (read from docs/ARCHITECTURE.md, so that
// the page cannot drift from the code), sizes, dead files and leftover markers.

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withCommands } from '../scripts/docs/command-table.ts'
import { withDataplaneCalls } from '../scripts/docs/dataplane-table.ts'
import { withDiagram } from '../scripts/docs/import-diagram.ts'
import { methodsPage } from '../scripts/docs/methods-page.ts'
import { envExample, withSettings } from '../scripts/write-docs.ts'

const root = resolve(import.meta.dirname, '..')
const src = join(root, 'src')
const packages = join(root, 'packages')
const workspaces = readdirSync(packages).filter((name) => !name.includes('.'))
const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 70
/** For functions that only put parts together or return functions, without a branch or loop of their own. */
const MAX_WIRING_LINES = 150
const MAX_HEAD_LINES = 5
/** A shorter file may say all by its name. */
const LINES_WITHOUT_HEAD = 60

type SourceFile = { path: string; text: string; imports: string[] }

function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return []
  return (
    readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      // Types of the libraries that scripts/bundle-libraries.ts writes.
      .filter((name) => !name.endsWith('.d.ts'))
      .map((name) => join(dir, name))
  )
}

function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const specifiers = [
    ...text.matchAll(/(?:from|import|import\()\s*'(\.[^']+|@slipstream\/[^']+)'/g),
    ...text.matchAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g),
  ].map((match) => match[1]!)
  return { path, text, imports: specifiers.map((specifier) => targetOf(path, specifier)) }
}

/** The file that an import means; of our own packages their face. */
function targetOf(from: string, specifier: string): string {
  const [, workspace] = /^@slipstream\/(.+)$/.exec(specifier) ?? []
  if (workspace !== undefined) return join(packages, workspace, 'src/index.ts')
  return resolve(dirname(from), specifier)
}

const sources = filesBelow(src).map(readSource)
const packaged = workspaces
  .flatMap((name) => filesBelow(join(packages, name, 'src')))
  .map(readSource)
const tests = [
  ...filesBelow(join(root, 'test')),
  ...workspaces.flatMap((name) => filesBelow(join(packages, name, 'test'))),
].map(readSource)
const others = [...filesBelow(join(root, 'bench')), ...filesBelow(join(root, 'scripts'))].map(
  readSource,
)

/**
 * The rows of the circle table: the paths below src that each circle covers, and its allowed
 * imports.
 */
function readCircles(): { covers: string[]; mayImport: string[] }[] {
  const page = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| `/.test(line))
  return rows.map((row) => {
    const [, circle = '', , allowed = ''] = row.split('|')
    const names = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)
    const withoutEnding = (name: string) => name.replace(/\.ts$/, '')
    return {
      covers: names(circle).map(withoutEnding),
      mayImport: names(allowed).map(withoutEnding),
    }
  })
}

const circles = readCircles()
const below = (path: string) => relative(src, path)
const fromRoot = (path: string) => relative(root, path)
const isIn = (path: string, prefixes: string[]) =>
  prefixes.some((prefix) => path === `${prefix}.ts` || path.startsWith(prefix))

describe('imports follow the data flow', () => {
  test('there are nine circles, and the files that build them', () => {
    expect(circles).toHaveLength(10)
  })

  test.each(sources.map((file) => [below(file.path), file] as const))('%s', (name, file) => {
    const circle = circles.find(({ covers }) => isIn(name, covers))
    expect(circle, `${name} is in no circle of docs/ARCHITECTURE.md`).toBeDefined()
    const allowed = [...circle!.covers, ...circle!.mayImport]
    const forbidden = file.imports
      .filter((path) => path.startsWith(`${src}/`))
      .map(below)
      .filter((path) => !isIn(path, allowed))
    expect(forbidden).toEqual([])
  })
})

/** The rows of the table of packages: the packages of ours that each may import. */
function readPackages(): Map<string, string[]> {
  const page = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8')
  const rows = page.matchAll(/^\| \[([\w-]+)\]\(\.\.\/packages\/[^|]*\|[^|]*\|([^|]*)\|$/gm)
  return new Map(
    [...rows].map(([, name = '', allowed = '']) => [
      name,
      [...allowed.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
    ]),
  )
}

describe('packages stand alone', () => {
  const allowed = readPackages()

  test('each has a row in docs/ARCHITECTURE.md', () => {
    expect([...allowed.keys()].sort()).toEqual(workspaces.sort())
  })

  test.each(packaged.map((file) => [relative(packages, file.path), file] as const))(
    '%s',
    (name, { imports, text }) => {
      const [workspace = ''] = name.split('/')
      const mayImport = [workspace, ...allowed.get(workspace)!].map((value) =>
        join(packages, value, 'src/'),
      )
      const outside = imports.filter((path) => !mayImport.some((value) => path.startsWith(value)))
      expect(outside).toEqual([])
      const manifest = JSON.parse(
        readFileSync(join(packages, workspace, 'package.json'), 'utf8'),
      ) as { dependencies?: Record<string, string> }
      const others = [...text.matchAll(/(?:from|import|import\()\s*'([^.'][^']*)'/g)]
        .map((match) => match[1]!)
        .filter((value) => !value.startsWith('node:'))
      const undeclared = others.filter(
        (other) => !Object.hasOwn(manifest.dependencies ?? {}, other),
      )
      expect(undeclared).toEqual([])
    },
  )

  test('sources import them by name', () => {
    const inside = (path: string) =>
      workspaces.some((name) => path.startsWith(join(packages, name, 'src/')))
    const users = sources.filter(({ text, path }) =>
      [...text.matchAll(/'(\.[^']+)'/g)].some(([, found]) =>
        inside(resolve(dirname(path), found!)),
      ),
    )
    expect(users.map(({ path }) => relative(root, path))).toEqual([])
  })
})

test('there are no import cycles, types included', () => {
  const all = [...sources, ...packaged, ...tests, ...others]
  const byPath = new Map(all.map((file) => [file.path, file]))
  const state = new Map<string, 'open' | 'done'>()
  const cycles: string[] = []
  const visit = (path: string, way: string[]): void => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      cycles.push([...way.slice(way.indexOf(path)), path].map(fromRoot).join(' → '))
      return
    }
    state.set(path, 'open')
    for (const next of byPath.get(path)?.imports ?? []) visit(next, [...way, path])
    state.set(path, 'done')
  }
  for (const { path } of all) visit(path, [])
  expect(cycles).toEqual([])
})

test('the core names no feature', () => {
  const inCore = sources.filter(({ path }) => !isIn(below(path), ['features/']))
  const named = inCore.flatMap(({ path, text, imports }) => [
    ...imports.filter((value) => value.startsWith(join(src, 'features/'))).map(() => below(path)),
    ...(/\bfeatures\/(?!features\.ts|NAME)[\w-]+\//.test(text) ? [below(path)] : []),
  ])
  expect(named).toEqual([])
})

test('the list of features imports nothing that waits for it', () => {
  const running = (path: string) =>
    [
      ...readFileSync(path, 'utf8').matchAll(
        /^import (?!type )(?:\{(?!\s*type [^,}]*\})[^}]*\}|[^{}']*) ?(?:from )?'(\.[^']+)'/gm,
      ),
    ].map((match) => resolve(dirname(path), match[1]!))
  const seen = new Set<string>()
  const queue = [join(src, 'features/features.ts')]
  for (let path = queue.pop(); path; path = queue.pop()) {
    if (seen.has(path) || !existsSync(path)) continue
    seen.add(path)
    queue.push(...running(path))
  }
  expect(seen.size).toBeGreaterThan(1)
  expect([...seen].map(below)).not.toContain('base/feature.ts')
})

test('graph and timeline use neither sockets nor SQL', () => {
  const inside = [...sources, ...packaged].filter(({ path }) =>
    isIn(below(path), ['data/graph/', 'data/shared-memory/', '../packages/follow-graph/']),
  )
  const packages = inside.flatMap(({ path, text }) =>
    [...text.matchAll(/from '([^.][^']*)'/g)].map((match) => `${below(path)} ← ${match[1]}`),
  )
  expect(
    packages.filter((line) =>
      /← (ws|better-sqlite3|hono|undici|node:(net|http|sqlite))/.test(line),
    ),
  ).toEqual([])
})

test('all SQL is in the store', () => {
  const inside = (path: string) =>
    isIn(below(path), ['data/store/', 'features/cluster/engine/']) ||
    /^features\/[\w-]+\/store\//.test(below(path))
  const sql =
    /better-sqlite3|\bdb\.(prepare|exec|pragma|transaction)\(|\b(SELECT|DELETE) [^'`]*\bFROM\b|\bINSERT (OR \w+ )?INTO\b|\bUPDATE \w+ SET\b/
  const users = sources.filter(({ path, text }) => !inside(path) && sql.test(text))
  expect(users.map(({ path }) => below(path))).toEqual([])
})

test('only the writer publishes to memory', () => {
  const publishing = join(src, 'ingest/indexing/memory/publish.ts')
  const users = sources.filter(({ imports }) => imports.includes(publishing))
  expect(users.map(({ path }) => below(path))).toEqual(['ingest/indexing/writer.ts'])
})

test('only the writer writes; all other connections are read-only', () => {
  const users = (pattern: RegExp) =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => below(path))
  const outside = (path: string) => !isIn(path, ['data/store/'])
  expect(users(/\btransact\(/).filter(outside)).toEqual(['ingest/indexing/writer.ts'])
  // These pass it to the writer, and to the code that builds memory from rows before the writer
  // exists.
  expect(users(/\bopenWriter\b/).filter(outside)).toEqual([
    'ingest/core.ts',
    'tools/cli/offline.ts',
  ])
  // Only the writer, its context and objects that live within one commit hold one in an option or
  // field.
  expect(users(/^ {2}(readonly )?#?db\??: WriteDb$/m).filter(outside)).toEqual([
    'ingest/indexing/index-context.ts',
    'ingest/indexing/writer.ts',
    'features/timelines/writing/append.ts',
    'features/timelines/writing/edit-graph.ts',
  ])
  expect(users(/\bas WriteDb\b/).filter(outside)).toEqual([])
})

test('only config.ts reads the environment', () => {
  const readers = sources
    .filter(({ text }) => /process\.env\b/.test(text))
    .map((f) => below(f.path))
  expect(readers).toEqual(['base/config/config.ts'])
})

test('every source file is used', () => {
  const entries = sources.filter(({ path }) =>
    ['main.ts', 'tools/cli/main.ts', 'ingest/thread.ts', 'features/features.ts'].includes(
      below(path),
    ),
  )
  const seen = new Set<string>()
  const queue = [...entries, ...others].flatMap(({ imports }) => imports)
  queue.push(...entries.map(({ path }) => path))
  const all = [...sources, ...packaged]
  const byPath = new Map([...all, ...others, ...tests].map((file) => [file.path, file]))
  for (let path = queue.pop(); path; path = queue.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    queue.push(...(byPath.get(path)?.imports ?? []), ...twinsOf(path))
  }
  const dead = all.filter(({ path }) => !seen.has(path))
  expect(dead.map(({ path }) => below(path))).toEqual([])
})

/** Files that stand for another in a browser, by the field `browser` of a package, as `[node, browser]`. */
const twins = globSync(join(root, 'packages/*/package.json')).flatMap((manifest) => {
  const { browser = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { browser?: object }
  return Object.entries(browser).map((pair) => pair.map((path) => resolve(manifest, '..', path)))
}) as [string, string][]
const twinsOf = (path: string) => twins.flatMap(([node, browser]) => (node === path ? browser : []))

test('a file for browsers offers what the one for Node does, but types', () => {
  const declared = /^export (?:async |abstract )*(?:function\*?|const|let|class) (\w+)/gm
  const again = /^export \{ ([^}]*) \}/gm
  const offered = (path: string) => {
    const text = readFileSync(path, 'utf8')
    const names = [...text.matchAll(declared)].map(([, name]) => name!)
    return [...names, ...[...text.matchAll(again)].flatMap(([, list]) => list!.split(', '))].sort()
  }
  expect(twins.length).toBeGreaterThan(0)
  for (const [node, browser] of twins)
    expect(offered(browser), below(browser)).toEqual(offered(node))
})

/**
 * The names a file imports from each other file, as `path name`; `path *` where any of them may be
 * meant.
 */
function namesImported({ path, text }: SourceFile): string[] {
  const from = (specifier: string) => targetOf(path, specifier)
  const lists = [
    ...text.matchAll(
      /^import (?:type )?(?:\w+, )?\{([^}]*)\} from '(\.[^']+|@slipstream\/[^']+)'/gm,
    ),
    ...text.matchAll(/^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm),
    ...text.matchAll(/\{([^{}]*)\} = await import\(\s*'(\.[^']+)'/g),
  ].flatMap(([, names = '', specifier = '']) =>
    names
      .split(',')
      .map((name) => /^\s*(?:type )?([\w$]+)/.exec(name)?.[1])
      .map((name) => `${from(specifier)} ${name}`),
  )
  const complete = [
    ...text.matchAll(/^import \* as \w+ from '(\.[^']+)'/gm),
    ...text.matchAll(/(?<!\} = await )import\('(\.[^']+)'\)/g),
    ...text.matchAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g),
  ].map(([, specifier = '']) => `${from(specifier)} *`)
  return [...lists, ...complete]
}

/**
 * Exports that only tests import, each with the reason why it does not bypass the public interface.
 */
const EXPORTED_FOR_TESTS: Record<string, string> = {
  'base/config/serve-threads.ts: threadsFor': 'a test gives it machines that none of ours is',
  'http/overload/method-costs.ts: costs': 'a table: each of its rows must name a method',
  'http/xrpc/methods.ts: methods':
    'the table of all methods, each of which the search for costly requests asks',
  'ingest/indexing/validation/validate.ts: isPlainRecord':
    'the quicker of two verdicts that must agree',
  'sources/identity/reading-token.ts: READABLE': 'the methods of a link, each of which a test asks',
  'sources/identity/verifying-key.ts: platformKey': 'the faster of two verifiers that must agree',
}
/** Judgements of the doctor: a test gives them figures that none of our machines has. */
const JUDGEMENT = /^(tools|features\/[\w-]+)\/doctor\/\w+\.ts: (about[A-Z]\w+|neededBytes)$/

function exportedBut(users: SourceFile[]): string[] {
  const imported = new Set(users.flatMap(namesImported))
  const declared =
    /^export (?:async |abstract )*(?:function\*?|const|let|class|type|interface) ([\w$]+)/gm
  const inBrowsers = new Set(twins.map(([, browser]) => browser))
  return [...sources, ...packaged]
    .filter(({ path }) => !imported.has(`${path} *`) && !inBrowsers.has(path))
    .filter(
      ({ path }) => !isIn(below(path), ['features/dataplane/generated/', 'features/features.ts']),
    )
    .flatMap(({ path, text }) => [...text.matchAll(declared)].map(([, name]) => [path, name!]))
    .filter(([path, name]) => !imported.has(`${path} ${name}`))
    .map(([path, name]) => `${below(path!)}: ${name}`)
}

test('every export is imported by another file', () => {
  const unused = exportedBut([...sources, ...packaged, ...others, ...tests])
  expect(unused, 'remove `export`, or the unused code').toEqual([])
})

test('tests only import exports that sources, scripts or benchmarks use too', () => {
  const forTests = exportedBut([...sources, ...packaged, ...others]).filter(
    (line) => !JUDGEMENT.test(line),
  )
  expect(forTests.sort()).toEqual(Object.keys(EXPORTED_FOR_TESTS))
})

test('files that several tests import register no hook as they load', () => {
  // Files that share a process load them once (vitest.config.ts): only the first would have the hook.
  const hook = /^(?:before|after)(?:Each|All)\(/m
  const shared = tests.filter(({ path }) => !/\.test\.ts$|support\/left-behind\.ts$/.test(path))
  expect(shared.filter(({ text }) => hook.test(text)).map(({ path }) => fromRoot(path))).toEqual([])
})

test(`no source file is longer than ${MAX_FILE_LINES} lines`, () => {
  const long = [...sources, ...packaged]
    .filter(
      ({ path }) => !isIn(below(path), ['base/atproto/lexicons/', 'features/dataplane/generated/']),
    )
    .map(({ path, text }) => `${below(path)}: ${text.split('\n').length}`)
    .filter((line) => Number(line.split(': ')[1]) > MAX_FILE_LINES)
  expect(long).toEqual([])
})

/** Top-level and nested `function` blocks by indentation: good enough for formatted code. */
function longFunctions({ path, text }: SourceFile): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, start) => {
    const opening = /^(\s*)(?:export )?(?:async )?function\*? ?(\w+)/.exec(line)
    if (!opening) return []
    const end = lines.findIndex((other, i) => i > start && other === `${opening[1]}}`)
    const length = end - start + 1
    const body = lines.slice(start + 1, end)
    if (length <= (isWiring(body, opening[1]!) ? MAX_WIRING_LINES : MAX_FUNCTION_LINES)) return []
    if (isSuite(body)) return []
    return [`${relative(root, path)} ${opening[2]}: ${length} lines`]
  })
}

/** Whether nothing at the function's own level branches or repeats: what is long is a list of parts. */
function isWiring(lines: readonly string[], indent: string): boolean {
  return !lines.some((line) =>
    /^(if|for|while|do|switch|try)\b/.test(line.slice(indent.length + 2)),
  )
}

/** A function that only registers test cases, which have their own limit. */
function isSuite(lines: readonly string[]): boolean {
  return lines.some((line) => /^\s+(?:test|it|describe)\b/.test(line))
}

test(`no function is longer than ${MAX_FUNCTION_LINES} lines, unless it only wires`, () => {
  expect([...sources, ...packaged, ...others, ...tests].flatMap(longFunctions)).toEqual([])
})

/** The bodies of test cases, including table tests, by indentation. */
function longCases({ path, text }: SourceFile): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, start) => {
    const opening = /^(\s*)(?:(?:test|it)\b.*|\].*)\(.*=> \{$/.exec(line)
    if (!opening || /^\s*\].*describe/.test(line)) return []
    const end = lines.findIndex((other, i) => i > start && other.startsWith(`${opening[1]}}`))
    const length = end - start + 1
    return length > MAX_FUNCTION_LINES ? [`${relative(root, path)}:${start + 1}: ${length}`] : []
  })
}

test(`no test case is longer than ${MAX_FUNCTION_LINES} lines`, () => {
  expect(tests.flatMap(longCases)).toEqual([])
})

test('there are no markers of unfinished work, no focused or silenced tests', () => {
  const marker = /\b(TODO|FIXME|XXX)\b|\b(?:it|test|describe)\.(only|todo)\(/
  const found = [...sources, ...packaged, ...others, ...tests]
    .filter(({ path }) => path !== import.meta.filename)
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => (marker.test(line) ? [`${path}:${i + 1}`] : [])),
    )
  expect(found).toEqual([])
})

test('tests wait with test/support/eventually.ts or expect.poll', () => {
  const waiting = tests.filter(({ text }) => /\bvi\.wait(?:For|Until)\(/.test(text))
  expect(waiting.map(({ path }) => relative(root, path))).toEqual([])
})

test('no literal is packed into a spread, where the compiler sees no misspelt field', () => {
  const packed = [...sources, ...packaged, ...others, ...tests].flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        /^\s*\.{3}\{ ?\w/.test(line) ? [`${relative(root, path)}:${i + 1}`] : [],
      ),
  )
  expect(packed, 'write plain fields').toEqual([])
})

test('there are no barrel files, but the faces of packages', () => {
  const faces = workspaces.map((name) => join(packages, name, 'src/index.ts'))
  const barrels = [...sources, ...packaged].filter(
    ({ path, text }) => !faces.includes(path) && /^export (\*|\{[^}]*\}) from/m.test(text),
  )
  expect(barrels.map(({ path }) => below(path))).toEqual([])
})

test(`every source file of more than ${LINES_WITHOUT_HEAD} lines starts with a comment on its purpose`, () => {
  const bare = [...sources, ...packaged].filter(({ path, text }) => {
    if (text.split('\n').length <= LINES_WITHOUT_HEAD) return false
    return !below(path).startsWith('base/atproto/lexicons/') && !/^(\/\/|\/\*\*)/.test(text)
  })
  expect(bare.map(({ path }) => below(path))).toEqual([])
})

test(`no file has a head of more than ${MAX_HEAD_LINES} lines`, () => {
  const long = [...sources, ...packaged, ...tests, ...others]
    .filter(
      ({ path }) => !isIn(below(path), ['features/dataplane/generated/', 'base/atproto/lexicons/']),
    )
    .map(({ path, text }) => ({
      path,
      lines: text.split('\n').findIndex((line) => !/^\/\//.test(line)),
    }))
    .filter(({ lines }) => lines > MAX_HEAD_LINES)
  expect(long.map(({ path, lines }) => `${relative(root, path)}: ${lines}`)).toEqual([])
})

test('generated parts of the documentation match the output of npm run docs', () => {
  const settings = readFileSync(join(root, 'docs/SETTINGS.md'), 'utf8')
  expect(withSettings(settings)).toBe(settings)
  const commands = readFileSync(join(root, 'docs/COMMANDS.md'), 'utf8')
  expect(withCommands(commands)).toBe(commands)
  const architecture = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8')
  expect(withDiagram(architecture)).toBe(architecture)
  const dataplane = readFileSync(join(root, 'docs/DATAPLANE.md'), 'utf8')
  expect(withDataplaneCalls(dataplane)).toBe(dataplane)
  expect(readFileSync(join(root, '.env.example'), 'utf8')).toBe(envExample())
  expect(readFileSync(join(root, 'docs/METHODS.md'), 'utf8')).toBe(methodsPage())
})

test.each(['INVARIANTS', 'SECURITY', 'FLOODS'])(
  'every test that docs/%s.md names exists',
  (name) => {
    const page = readFileSync(join(root, `docs/${name}.md`), 'utf8')
    const named = [...page.matchAll(/`((?:packages\/[\w-]+\/)?test\/[^`]+)`/g)].map(
      (match) => match[1]!,
    )
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  },
)
