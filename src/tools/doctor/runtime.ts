// Checks the software: the right Node, and each native package by using it once.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createTrustedDecoder } from '@slipstream/zstd-dictionary'
import { sqliteVersion } from '../../data/store/files/probe.ts'
import { here } from './cures.ts'
import { type Finding, good, notice, wrong } from './finding.ts'

const NODE_MAJOR = 24
const FEW_FILES = 4_096

export async function checkRuntime(): Promise<Finding[]> {
  return [
    aboutNode(process.versions.node),
    aboutSqlite(),
    aboutSecp256k1(),
    await aboutZstd(),
    ...aboutOpenFiles(readLimits()),
  ]
}

export function aboutNode(version: string): Finding {
  if (Number(version.split('.')[0]) >= NODE_MAJOR) return good(`Node ${version}, ${process.arch}`)
  const fix = `Start it with \`${here.command('serve')}\`, which uses the right one.`
  return wrong(`Node ${version} is too old; ${NODE_MAJOR} is needed`, fix)
}

function aboutSqlite(): Finding {
  try {
    return good(`SQLite ${sqliteVersion()}`)
  } catch (error) {
    return wrong(`SQLite does not load: ${messageOf(error)}`, here.reinstall)
  }
}

function aboutSecp256k1(): Finding {
  try {
    createRequire(import.meta.url)('secp256k1/bindings.js')
    return good('libsecp256k1 verifies tokens')
  } catch {
    return notice('libsecp256k1 has no binary for this machine: OpenSSL verifies tokens, slower')
  }
}

async function aboutZstd(): Promise<Finding> {
  try {
    const decoder = await createTrustedDecoder({ id: 1, bytes: Buffer.alloc(64) }, 64)
    decoder.dispose()
    return good('zstd decodes')
  } catch (error) {
    return wrong(`zstd does not load: ${messageOf(error)}`, here.reinstall)
  }
}

/** @param limits - /proc/self/limits; empty if there is none. */
export function aboutOpenFiles(limits: string): Finding[] {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  if (soft === undefined) return []
  if (Number(soft) >= FEW_FILES) return [good(`${soft} open files at most`)]
  const fix = 'Raise it: `ulimit -n 65536`, or LimitNOFILE=65536 in the systemd unit.'
  return [notice(`only ${soft} open files: each connection takes one`, fix)]
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

export function messageOf(error: unknown): string {
  return (error as Error).message.split('\n')[0]!.slice(0, 200)
}
