// The documentation pages, taken apart: fenced blocks, code spans, links and headings. A fenced block in the
// language `sh` can be run, and the next word says how it is tested (CONTRIBUTING.md, “Pages are tested”).

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

export type Page = { path: string; text: string }
export type Fence = { page: string; line: number; language: string; info: string; text: string }

/** Returns every page, by its path below the project's root. */
export function readPages(): Page[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.md'),
  )
  const circles = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => basename(name) === 'README.md')
    .map((name) => `src/${name}`)
  const packages = readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `packages/${name}/README.md`)
  const paths = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'deploy/pds/README.md']
  return [
    ...paths,
    ...circles.sort(),
    ...packages.sort(),
    ...docs.sort().map((name) => `docs/${name}`),
  ].map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }))
}

/** Returns the fenced blocks, including those indented under a list. */
export function fencesOf({ path, text }: Page): Fence[] {
  const fences: Fence[] = []
  let open: (Fence & { indent: string }) | undefined
  for (const [i, line] of text.split('\n').entries()) {
    const [, indent = '', language = '', info = ''] = /^( *)```(\S*) ?(.*)$/.exec(line) ?? []
    if (!/^ *```/.test(line)) {
      if (open)
        open.text += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`
    } else if (open) {
      const { indent: _, ...fence } = open
      fences.push(fence)
      open = undefined
    } else {
      open = { page: path, line: i + 1, language, info, text: '', indent }
    }
  }
  if (open) throw new Error(`${path}:${open.line} opens a block that is never closed`)
  return fences
}

/** Returns a page without its fenced blocks. */
export function proseOf({ text }: Page): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, '')
}

/** Returns the texts between backticks. */
export function codeSpansOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/`([^`]+)`/g)].map((match) => match[1]!.replace(/\s+/g, ' '))
}

/** Returns the targets of links and pictures. */
export function linksOf(page: Page): string[] {
  const prose = proseOf(page).replace(/`[^`]*`/g, '')
  const markdown = [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
  const html = [...prose.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)]
  return [...markdown, ...html].map((match) => match[1]!)
}

/** Returns the anchors of a page's headings, as forges generate them. */
export function anchorsOf(page: Page): string[] {
  const seen = new Map<string, number>()
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map((match) => {
    const anchor = match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-')
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

/** Resolves a page's link to a path below the root and an anchor; undefined for external links. */
export function targetOf(page: Page, link: string): { path: string; anchor?: string } | undefined {
  if (/^[a-z]+:/.test(link)) return undefined
  const [to = '', anchor] = link.split('#')
  const path = to === '' ? page.path : relative(root, resolve(root, dirname(page.path), to))
  return anchor === undefined ? { path } : { path, anchor }
}

export function isThere(path: string): boolean {
  return existsSync(join(root, path))
}
