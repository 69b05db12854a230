// `npm run reference-suite`: runs the tests of the reference AppView (packages/bsky of a checkout of its repository, which
// need not be installed) with Slipstream in its place, by test/e2e/reference-suite/. Needs Postgres, and
// `npm ci --prefix test/e2e`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { findPostgres, startPostgres } from '../test/e2e/support/postgres.ts'

type Options = { suite: string; face: string; workers: string; json?: string }

const program = new Command('npm run reference-suite --')
  .description('Run the reference’s own tests with Slipstream in its place.')
  .argument('[files...]', 'parts of the names of test files; all by default')
  .requiredOption(
    '--suite <dir>',
    'a checkout of the reference’s repository (bluesky-social/atproto)',
  )
  .addOption(
    new Option('--face <face>', 'who answers')
      .choices(['xrpc', 'dataplane', 'own'])
      .default('xrpc'),
  )
  .option('--workers <number>', 'test files at once', '1')
  .option('--json <file>', 'where to write the results')
  .parse()

await main(program.args, program.opts<Options>())

async function main(files: string[], options: Options): Promise<void> {
  const suite = resolve(options.suite)
  if (!existsSync(join(suite, 'packages/bsky/tests'))) {
    return program.error(`${suite} has no packages/bsky/tests: --suite is the folder of a checkout`)
  }
  const home = findPostgres()
  if (!home)
    return program.error('Postgres is not installed: the tests write some of their data there')
  const postgres = await startPostgres(home)
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-suite-'))
  const json = resolve(options.json ?? join(folder, 'results.json'))
  try {
    const root = resolve(import.meta.dirname, '..')
    const config = join(root, 'test/e2e/reference-suite/vitest-config.ts')
    const child = spawn(
      process.execPath,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        ...['run', '--config', config, '--reporter', 'default', '--reporter', 'json'],
        ...['--outputFile', json, ...files],
      ],
      {
        cwd: join(suite, 'packages/bsky'),
        stdio: 'inherit',
        env: {
          ...process.env,
          CI: 'true',
          TMPDIR: folder,
          REFERENCE_SUITE_DIR: suite,
          REFERENCE_SUITE_FACE: options.face,
          REFERENCE_SUITE_WORKERS: options.workers,
          DB_POSTGRES_URL: postgres.url,
        },
      },
    )
    // The tests end by themselves, and stop the servers that they started.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => child.kill(signal))
    await once(child, 'exit')
    if (existsSync(json)) report(JSON.parse(readFileSync(json, 'utf8')))
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Results = { numTotalTests: number; numPassedTests: number }

function report({ numTotalTests, numPassedTests }: Results): void {
  console.log(`${numPassedTests} of ${numTotalTests} tests pass`)
}
