// What runs the sentences of the two pages that an operator starts from, section by section, besides the tests of all
// pages in this folder (commands, settings, files, links, figures): tests, and what no test here can do, and why.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/documentation.ts'

type Section = { by?: readonly string[]; not?: string }

const README: Record<string, Section> = {
  'Try it': { by: ['test/scripts/demo.test.ts', 'test/docs/running.test.ts'] },
  'Run it': {
    by: [
      'test/deploy/install.test.ts',
      'test/e2e/front-door.test.ts',
      'test/e2e/first-minute.test.ts',
    ],
    not: 'The other clients of the table are not packages that can be run here.',
  },
  'What it does': {
    by: ['test/e2e/conformance.test.ts', 'test/docs/guide.test.ts', 'test/tidy.test.ts'],
  },
  'Without the install script': {
    by: ['test/tools/cli/first-run/first-run.test.ts', 'test/process.test.ts'],
    not: 'The block with scripts/start alone reads the real network.',
  },
  'What it costs': { by: ['test/bench/cost-model.test.ts', 'test/docs/figures-in-prose.test.ts'] },
  'Look something up': { by: ['test/docs/links.test.ts'] },
  More: { by: ['test/docs/links.test.ts'] },
}

const OPERATING: Record<string, Section> = {
  Install: {
    by: ['test/docs/requirements.test.ts'],
    not: 'DNS and open ports are the operator’s.',
  },
  'A Debian or Ubuntu server': {
    by: ['test/deploy/install.test.ts', 'test/deploy/install-as-account.test.ts'],
    not: 'A real certificate needs a name on the internet; test/deploy/bare-tree.sh runs the rest on a bare Debian.',
  },
  Docker: { by: ['test/deploy/compose.test.ts', 'test/deploy/image.test.ts'] },
  'By hand': {
    by: ['test/deploy/unit.test.ts', 'test/deploy/caddy.test.ts', 'test/docs/nginx.test.ts'],
  },
  'The npm package': { by: ['test/scripts/package.test.ts'] },
  'Your own PDS': { by: ['test/e2e/conformance.test.ts'] },
  'The first day': { by: ['test/e2e/first-minute.test.ts', 'test/docs/running.test.ts'] },
  'What a first sign-in does': {
    by: [
      'test/ingest/backfill/cold-start.test.ts',
      'test/ingest/backfill/filling.test.ts',
      'test/ingest/backfill/newcomer-budget.test.ts',
    ],
  },
  Upgrade: {
    by: ['test/deploy/install.test.ts', 'test/data/store/upgrades.test.ts'],
    not: 'git pull on a server needs root and the repository.',
  },
  'Back up and restore': { by: ['test/tools/cli/cli.test.ts', 'test/docs/running.test.ts'] },
  'Off-site backup': {
    by: ['test/features/off-site/machine-lost.test.ts'],
    not: 'A store of others: a real S3 server on this machine stands for it. Weeks are shortened.',
  },
  'Limits and load': {
    by: ['test/http/overload/limits.test.ts', 'test/http/overload/method-costs.test.ts'],
  },
  'A list of follows': { by: ['test/ingest/indexing/imports/import-follows.test.ts'] },
  'The whole network': {
    by: ['test/features/archive/archive.test.ts'],
    not: 'Terabytes and weeks; a double serves the archive.',
  },
  Security: {
    by: ['test/deploy/unit.test.ts', 'test/security/logs.test.ts'],
    not: 'Clock and updates are the machine’s.',
  },
  Moving: {
    by: ['test/docs/running.test.ts', 'test/scripts/member-state.test.ts'],
    not: 'Two machines and a name that moves; backup and restore run on one.',
  },
  "The operator's routes": { by: ['test/docs/operator-routes.test.ts'] },
  'Programs that read and post': { by: ['test/features/timelines/commands.test.ts'] },
  'Exit codes': { by: ['test/docs/figures-in-prose.test.ts', 'test/tools/cli/cli.test.ts'] },
}

test.each([
  ['README.md', README],
  ['docs/OPERATING.md', OPERATING],
])('each section of %s names what runs it', (page, sections) => {
  const text = readFileSync(join(root, page), 'utf8').replace(/^```[\s\S]*?^```$/gm, '')
  const headings = [...text.matchAll(/^###? (.+)$/gm)].map(([, heading]) => heading!)
  expect(Object.keys(sections)).toEqual(headings)
  for (const [heading, { by = [] }] of Object.entries(sections)) {
    expect(by.length, heading).toBeGreaterThan(0)
    expect(by.filter((path) => !existsSync(join(root, path)))).toEqual([])
  }
})
