// Consistency of the pages: links resolve, every page is reachable, and the files, settings and metrics they
// name exist.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/base/config/config.ts'
import { everySetting } from '../../src/base/config/every-setting.ts'
import { areas } from '../../src/tools/doctor/areas.ts'
import {
  anchorsOf,
  codeSpansOf,
  fencesOf,
  isThere,
  linksOf,
  type Page,
  readPages,
  root,
  targetOf,
} from '../support/documentation.ts'

const pages = readPages()
const byPath = new Map(pages.map((page) => [page.path, page]))
/** The changelog and the notes describe the past as it was. */
const current = pages.filter(({ path }) => path !== 'CHANGELOG.md' && !isNote(path))
const cases = (some: readonly Page[]) => some.map((page) => [page.path, page] as const)

function isNote(path: string): boolean {
  return /^docs\/notes\/\d{4}-/.test(path)
}

test.each(cases(pages))('every link of %s leads to an existing file and heading', (_, page) => {
  const broken = linksOf(page).filter((link) => !leadsSomewhere(page, link))
  expect(broken).toEqual([])
})

function leadsSomewhere(page: Page, link: string): boolean {
  const target = targetOf(page, link)
  if (!target) return true
  const { path, anchor } = target
  if (!isThere(path)) return false
  const other = byPath.get(path)
  return anchor === undefined || (other !== undefined && anchorsOf(other).includes(anchor))
}

test('on a machine installed by deploy/install.sh, no page links to a file that was not shipped', () => {
  const script = readFileSync(join(root, 'deploy/install.sh'), 'utf8')
  const shipped = /^shipped=\((.*)\)$/m.exec(script)![1]!.split(' ')
  const isShipped = (path: string) =>
    shipped.some((value) => path === value || path.startsWith(`${value}/`))
  expect(shipped).toContain('README.md')
  const dead = pages
    .filter(({ path }) => isShipped(path))
    .flatMap((page) =>
      linksOf(page).filter((link) => {
        const target = targetOf(page, link)
        return target && !isShipped(target.path)
      }),
    )
  expect(dead).toEqual([])
})

test('no page is longer than 4,000 words, but those that are generated and the changelog', () => {
  const free = ['CHANGELOG.md', 'docs/METHODS.md', 'docs/METRICS.md']
  const words = ({ text }: Page) =>
    text.replace(/<!-- ([\w -]+): generated[\s\S]*?<!-- \/\1 -->/g, '').split(/\s+/).length
  const long = pages
    .filter(({ path }) => !free.includes(path))
    .map((page) => [page.path, words(page)] as const)
    .filter(([, count]) => count > 4_000)
  expect(long, 'cut, link, or move a part to a page of its own').toEqual([])
})

test('every page that a comment in the code cites exists', () => {
  const cited = ['src', 'test', 'bench', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .flatMap((name) => [
        ...readFileSync(join(root, folder, name), 'utf8').matchAll(
          /^ *(?:\/\/|\/?\*).*?\b(docs\/[\w./-]+\.md)\b/gm,
        ),
      ])
      .map(([, path]) => path!),
  )
  expect(cited.length).toBeGreaterThan(20)
  expect([...new Set(cited)].filter((path) => !isThere(path))).toEqual([])
})

test('every page can be reached from README.md', () => {
  const seen = new Set<string>()
  const queue = ['README.md']
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const page = byPath.get(path)
    if (!page || seen.has(path)) continue
    seen.add(path)
    queue.push(...linksOf(page).flatMap((link) => targetOf(page, link)?.path ?? []))
  }
  expect(pages.map(({ path }) => path).filter((path) => !seen.has(path))).toEqual([])
})

describe('the things that pages name exist', () => {
  test.each(cases(current))('files of %s', (_, page) => {
    const named = codeSpansOf(page).filter(looksLikeAPath)
    expect(named.filter((path) => !isSomewhere(page, path))).toEqual([])
  })

  test.each(cases(current))('settings of %s', (_, page) => {
    const known = new Set(Object.values(everySetting).map(({ key }) => key))
    const named = page.text.match(/\bSLIPSTREAM_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []
    expect(named.filter((key) => !known.has(key))).toEqual([])
  })

  test.each(cases(current))('values of settings in %s are valid', (_, page) => {
    const spans = codeSpansOf(page).flatMap((text) => [
      ...text.matchAll(/(SLIPSTREAM_\w+)=(?![A-Z]+\b)([^\s…]+)(?!…)/g),
    ])
    for (const [pair, key, value] of spans) {
      const setting = Object.values(everySetting).find((setting) => setting.key === key)
      expect(() => setting?.parse(value!), pair).not.toThrow()
    }
  })

  test.each(cases(current))('blocks of settings in %s load', (_, page) => {
    for (const { language, text } of fencesOf(page)) {
      if (language === 'ini') expect(() => loadConfig(parseEnv(text), '/nonexistent')).not.toThrow()
    }
  })

  test('every state named on the status page is in docs/WATCHING.md', () => {
    const source = readFileSync(join(root, 'src/features/pages/state-words.ts'), 'utf8')
    const titles = [...source.matchAll(/title: ['`]([^'`$]+)/g)].map((match) => match[1]!.trim())
    const { text } = byPath.get('docs/WATCHING.md')!
    expect(titles.length).toBeGreaterThan(8)
    expect(titles.filter((title) => !text.includes(`\n| ${title}`))).toEqual([])
  })

  test('every area of the doctor is in docs/WATCHING.md', () => {
    const [, section = ''] = byPath.get('docs/WATCHING.md')!.text.split('\n## The doctor\n')
    const [table = ''] = section.split('\n## ')
    expect(areas.filter((area) => !table.includes(area))).toEqual([])
  })

  test('log lines quoted in the pages for operators exist in the sources', () => {
    const names = ['MEMBERS', 'OPERATING', 'OTHER-SERVERS', 'WATCHING']
    const quoted = names
      .flatMap((name) => codeSpansOf(byPath.get(`docs/${name}.md`)!))
      .filter((span) => /^[a-z]+:?( [a-zA-Z'’]+:?)+$/.test(span))
      .filter(
        (span) => !/^(slipstream|npm|sudo|git|docker|vitest|mv|member|systemd-analyze) /.test(span),
      )
    expect(quoted.length).toBeGreaterThan(4)
    expect(quoted.filter((span) => !sourceText.includes(straight(span)))).toEqual([])
  })

  test('metrics', () => {
    const notified = new Set(codeSpansOf(byPath.get('docs/METRICS.md')!))
    const named = current
      .filter(({ path }) => path !== 'docs/METRICS.md')
      .flatMap(({ text }) => text.match(/\b(?:slipstream|process)_[a-z]+_[a-z_]+\b/g) ?? [])
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((name) => !notified.has(name))).toEqual([])
  })
})

/** `src/http/xrpc/`, `data/store/transact.ts`, `scripts/test`; but not `/var/lib`, `app.bsky.*` or `a/b` in general. */
function looksLikeAPath(span: string): boolean {
  if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(span)) return false
  return /\w\.(ts|md|json|sh|yml|yaml|service|timer|zdict)$/.test(span) || isInATopFolder(span)
}

const topFolders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  .map(({ name }) => name)

function isInATopFolder(span: string): boolean {
  return topFolders.some((name) => span.startsWith(`${name}/`)) && !span.startsWith('data/')
}

/** Pages name files relative to the root, to src (as with rooms), or to their own folder. */
function isSomewhere(page: Page, path: string): boolean {
  const bases = ['', 'src', 'src/*', 'deploy/systemd', dirname(page.path)]
  return bases.some((base) =>
    base === 'src/*'
      ? !path.includes('/') && anywhereInSrc.has(path)
      : isThere(join(base, path)) || isThere(join(base, `${path}.ts`)),
  )
}

const anywhereInSrc = new Set(
  ['src', 'packages', 'scripts', 'test', 'bench']
    .flatMap((name) => readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }))
    .filter((path) => !path.includes('node_modules'))
    .map((path) => path.split('/').at(-1)!),
)

const sourceText = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => straight(readFileSync(join(root, 'src', name), 'utf8')))
  .join('\n')

function straight(text: string): string {
  return text.replaceAll('’', "'")
}

test('the invariants are numbered from 1, each once', () => {
  const rows = [...byPath.get('docs/INVARIANTS.md')!.text.matchAll(/^\| (\d+) \|/gm)]
  expect(rows.length).toBeGreaterThan(30)
  expect(rows.map((match) => Number(match[1]))).toEqual(rows.map((_, i) => i + 1))
})
