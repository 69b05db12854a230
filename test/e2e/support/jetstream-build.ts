// Builds the real Jetstream server with Go, once per machine, outside the checkout.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const VERSION = 'v0.2.0'
const MODULE = 'github.com/bluesky-social/jetstream'
const BUILD_MS = 8 * 60_000

const run = promisify(execFile)

export async function isGoPresent(): Promise<boolean> {
  return run('go', ['version']).then(
    () => true,
    () => false,
  )
}

/**
 * @returns the path of the binary.
 * @throws Error with Go's output if the build fails.
 */
export async function buildJetstream(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'slipstream-e2e')
  const binary = join(cache, `jetstream-${VERSION}`)
  if (existsSync(binary)) return binary
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, 'build-'))
  console.info(`Building the Jetstream server ${VERSION} into ${cache}; about a minute, once.`)
  try {
    // Not `go install …@version`, which asks the proxy for a list of versions that not all proxies
    // serve.
    writeFileSync(join(work, 'go.mod'), `module e2e\n\ngo 1.26\n\nrequire ${MODULE} ${VERSION}\n`)
    const args = ['build', '-mod=mod', '-o', 'jetstream', `${MODULE}/cmd/jetstream`]
    await run('go', args, { cwd: work, timeout: BUILD_MS })
    renameSync(join(work, 'jetstream'), binary)
    return binary
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
