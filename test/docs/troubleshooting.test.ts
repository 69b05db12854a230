// docs/TROUBLESHOOTING.md and the doctor's own advice: the commands and settings they name exist.
// commands.test.ts checks the commands and options of all pages.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { everySetting } from '../../src/base/config/every-setting.ts'
import { createProgram } from '../../src/tools/cli/program.ts'
import { areas } from '../../src/tools/doctor/areas.ts'
import { checksOf, loadToolsFeatures } from '../../src/tools/feature.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/TROUBLESHOOTING.md'), 'utf8')
const doctor = join(root, 'src/tools/doctor')
const advice = readdirSync(doctor, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(doctor, name), 'utf8'))
  .join('\n')

const rows = page.split('\n').filter((line) => /^\| (?!you see|---)/.test(line))
const matches = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map((found) => found[1]!)

describe.each([
  ['the page', page],
  ['the doctor', advice],
])('%s', (_name, text) => {
  it('names existing settings', () => {
    const known = Object.values(everySetting).map(({ key }) => key)
    const named = matches(text, /\b(SLIPSTREAM_[A-Z0-9_]*[A-Z0-9])\b/g)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((key) => !known.includes(key))).toEqual([])
  })

  it('names existing commands', async () => {
    const program = createProgram(await loadToolsFeatures())
    const known = program.commands.flatMap((command) => [
      command.name(),
      ...command.commands.map((below) => `${command.name()} ${below.name()}`),
    ])
    const typed = matches(
      text,
      /`(?:[^`\n]* )?(?:scripts\/)?slipstream ([a-z][a-z-]*(?: [a-z]+)?)/g,
    )
    // The doctor prints them as typed on the installed machine (cures.ts).
    const cures = matches(text, /here\.command\(['`]([a-z][a-z-]*(?: [a-z]+)?)/g)
    const named = [...typed, ...cures]
    const isKnown = (words: string) => known.includes(words) || known.includes(words.split(' ')[0]!)
    expect(named.length).toBeGreaterThan(5)
    // Units, containers and accounts share this name.
    expect(named.filter((words) => words !== 'slipstream' && !isKnown(words))).toEqual([])
  })
})

describe('the page', () => {
  it('names existing areas of the doctor', async () => {
    const known = new Set<string>([
      ...areas,
      ...checksOf(await loadToolsFeatures()).map(({ area }) => area),
    ])
    const named = matches(page, /--only ([a-z.,]+)`/g).flatMap((some) => some.split(','))
    expect(named.filter((area) => !known.has(area))).toEqual([])
  })

  it('leads to every area of the doctor except the software itself', () => {
    const named = new Set(matches(page, /--only ([a-z.,]+)`/g).flatMap((some) => some.split(',')))
    const missing = areas.filter((area) => !named.has(area))
    expect(missing).toEqual(['software', 'database'])
  })

  it('has a symptom, a cause and a remedy in every row', () => {
    expect(rows.length).toBeGreaterThan(60)
    const cells = (row: string) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim())
    expect(rows.filter((row) => cells(row).length !== 3 || cells(row).includes(''))).toEqual([])
  })

  it('names for each remedy a command, a setting, a page, or why none is needed', () => {
    const reported = (row: string) => row.split('|').at(-2)!
    const isClear = (text: string) =>
      /`[^`]+`|docs\/[\w-]+\.md|\]\([\w-]+\.md|nothing|wait|report|owner mends/.test(text)
    expect(rows.filter((row) => !isClear(reported(row)))).toEqual([])
  })
})
