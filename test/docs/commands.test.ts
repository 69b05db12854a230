// The commands in the documentation, checked without running them: even those that need root, a domain or two
// machines must be valid shell and name existing commands, options, scripts and units. running.test.ts runs
// the others.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchNames, choose } from '../../bench/runner/choice.ts'
import { allCommands } from '../../scripts/docs/command-table.ts'
import { codeSpansOf, type Fence, fencesOf, readPages, root } from '../support/documentation.ts'

const pages = readPages().filter(({ path }) => path !== 'CHANGELOG.md')
const blocks = pages.flatMap(fencesOf).filter(({ language }) => language === 'sh')
const named = (some: readonly Fence[]) =>
  some.map((fence) => [`${fence.page}:${fence.line}`, fence] as const)

/** A line of shell, or a code span in the text, with its page. */
type Notified = { page: string; text: string }

const notified: Notified[] = [
  ...blocks.flatMap(({ page, text }) =>
    text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => ({ page, text: line.replace(/ #.*$/, '') })),
  ),
  ...pages.flatMap((page) => codeSpansOf(page).map((text) => ({ page: page.path, text }))),
]

describe('blocks of shell', () => {
  test.each(named(blocks))('%s says how it is tested, and is shell', (_, { info, text }) => {
    expect(info).toMatch(/^(stopped|serves|no-test=.*\w.*)?$/)
    const { stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
    expect(stderr).toBe('')
  })

  test('every block of shell is marked as such', () => {
    const other = pages
      .flatMap(fencesOf)
      .filter(({ language }) => ['', 'bash', 'shell', 'console'].includes(language))
      .filter(({ text }) => /^(\$ )?(sudo|scripts\/|slipstream |npm |docker |node )/m.test(text))
    expect(other.map(({ page, line }) => `${page}:${line}`)).toEqual([])
  })
})

describe('the command line', () => {
  const commands = allCommands()
  const calls = notified.flatMap(({ page, text }) =>
    [
      ...text.matchAll(
        /(?:^|(?<!exec|exec -T|--entrypoint|-u)\s)(?:scripts\/)?slipstream ([a-z][a-z-]*(?: [^|;&>]*)?)/g,
      ),
    ].map((match) => ({
      page,
      words: match[1]!.trim().split(' '),
    })),
  )

  /** The words of the command's name, without arguments and options. */
  function commandOf(words: readonly string[]) {
    return commands
      .filter(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
      .sort((a, b) => b.name.length - a.name.length)[0]
  }

  test('is named in many places', () => expect(calls.length).toBeGreaterThan(25))

  test('has every command and option that is named', () => {
    const wrong = calls.filter(({ words }) => {
      const command = commandOf(words)
      const options = words.filter((word) => /^--[a-z]/.test(word))
      const known = [...(command?.options ?? []), '--help']
      return !command || options.some((option) => !known.includes(option))
    })
    expect(wrong.map(({ page, words }) => `${page}: slipstream ${words.join(' ')}`)).toEqual([])
  })
})

test('npm scripts that are named exist, and so do benchmarks', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const calls = notified.flatMap(({ page, text }) =>
    [...text.matchAll(/npm run ([a-z-]+)(?: -- ([^`]*))?/g)].map(([, name, rest = '']) => ({
      page,
      name: name!,
      words: rest.split(' ').filter((word) => /^[a-z][\w.-]*$/.test(word)),
    })),
  )
  expect(calls.length).toBeGreaterThan(8)
  expect(calls.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([])
  const benches = calls.filter(({ name }) => name === 'bench').flatMap(({ words }) => words)
  expect(
    choose(
      benches.filter((word) => !word.endsWith('.json')),
      benchNames(),
    ).unknown,
  ).toEqual([])
})

test('options of the install script and of scripts/start exist', () => {
  const helps = new Map([
    ['deploy/install.sh', execFileSync('bash', [join(root, 'deploy/install.sh'), '--help'])],
    ['scripts/start', execFileSync(process.execPath, [join(root, 'src/main.ts'), '--help'])],
  ])
  for (const [script, help] of helps) {
    const calls = notified.filter(({ text }) => text.includes(script))
    const options = calls.flatMap(
      ({ text }) => text.split(script)[1]!.match(/(?<= )--[a-z-]+/g) ?? [],
    )
    expect(options.length).toBeGreaterThan(0)
    expect(options.filter((option) => !help.toString().includes(`${option} `))).toEqual([])
  }
})

test('units that are named are ours', () => {
  const units = notified.flatMap(({ text }) =>
    [...text.matchAll(/(?:systemctl [a-z -]+|journalctl -u )(slipstream[\w.-]*)/g)].map(
      (match) => match[1]!,
    ),
  )
  expect(units.length).toBeGreaterThan(3)
  const isOurs = (unit: string) =>
    [unit, `${unit}.service`].some((name) => existsSync(join(root, 'deploy/systemd', name)))
  expect(units.filter((unit) => !isOurs(unit))).toEqual([])
})
