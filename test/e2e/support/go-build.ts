// Builds servers of the network with Go, once per machine, outside the checkout.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type GoProgram = { name: string; module: string; version: string; path: string }

export const JETSTREAM: GoProgram = {
  name: 'jetstream',
  module: 'github.com/bluesky-social/jetstream',
  version: 'v0.2.0',
  path: 'cmd/jetstream',
}
/** The reference's relay. */
export const RELAY: GoProgram = {
  name: 'relay',
  module: 'github.com/bluesky-social/indigo',
  version: 'v0.0.0-20260605210604-af2fec94f34c',
  path: 'cmd/relay',
}
/** Long enough for a machine that is busy with something else. */
const BUILD_MS = 20 * 60_000

const run = promisify(execFile)

export async function isGoPresent(): Promise<boolean> {
  return run('go', ['version']).then(
    () => true,
    () => false,
  )
}

export function isBuilt(program: GoProgram): boolean {
  return existsSync(positionOf(program).binary)
}

function positionOf({ name, version }: GoProgram) {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'slipstream-e2e')
  return { cache, binary: join(cache, `${name}-${version}`) }
}

/**
 * @returns the path of the binary.
 * @throws Error with Go's output if the build fails.
 */
export async function buildGo(program: GoProgram): Promise<string> {
  const { name, module, version, path } = program
  const { cache, binary } = positionOf(program)
  if (existsSync(binary)) return binary
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, 'build-'))
  console.info(`Building ${module}/${path} ${version} into ${cache}; a minute or more, once.`)
  try {
    // Not `go install …@version`, which asks the proxy for a list of versions that not all proxies
    // serve.
    writeFileSync(join(work, 'go.mod'), `module e2e\n\ngo 1.26\n\nrequire ${module} ${version}\n`)
    const args = ['build', '-mod=mod', '-o', name, `${module}/${path}`]
    await run('go', args, { cwd: work, timeout: BUILD_MS })
    renameSync(join(work, name), binary)
    return binary
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
