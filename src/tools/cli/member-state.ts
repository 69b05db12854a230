// `slipstream member export|import`: a member's mutes, bookmarks, drafts and settings as one document.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../base/config/config.ts'
import { explainAccess } from '../../base/util/file-access.ts'
import type { MemberState } from '../../ingest/indexing/member-state/document.ts'
import { CliError, EXIT } from '../fail.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { memberCalled } from './member-called.ts'
import { readingOffline, writingOffline } from './offline.ts'
import { print, report, say } from './terminal.ts'

const OWNER_ONLY = 0o600

export function addMemberState(member: Command, context: CliContext): void {
  member
    .command('export')
    .argument('<account>', 'a member’s handle or DID')
    .argument('[file]', 'file to write (standard output)')
    .description('export a member’s mutes, bookmarks, drafts and settings as JSON')
    .addHelpText('after', '\nExample:\n  slipstream member export alice.example.org alice.json')
    .action((account: string, file?: string) => exportState(context, account, file))
  withJson(member.command('import'))
    .argument('[file]', 'file that `member export` wrote (standard input)')
    .description('import such a file; the account becomes a member')
    .addHelpText(
      'after',
      '\nThe member’s existing data stays.\n\nExample:\n  slipstream member import alice.json',
    )
    .action((file: string | undefined, { json }: JsonOption) => importState(context, file, json))
}

/** @returns the path of the file. */
export async function exportBeforeRemoval(
  context: CliContext,
  did: string,
  file: string | undefined,
): Promise<string> {
  const name = `${did.replaceAll(':', '_')}.json`
  const path = file === undefined ? join(context.config().dataDir, name) : context.path(file)
  save(path, await stateOf(context, did))
  return path
}

async function exportState(context: CliContext, actor: string, file?: string): Promise<void> {
  const state = await stateOf(context, await memberCalled(context, actor))
  if (file === undefined || file === '-') return print(JSON.stringify(state, null, 2))
  save(context.path(file), state)
  say(`The private state of ${actor} is in ${file}.`)
}

async function stateOf(context: CliContext, did: string): Promise<MemberState> {
  const config = context.config()
  const server = await findServer(config.dataDir)
  if (server) return server.ask('GET', `/members/${encodeURIComponent(did)}/state`)
  const { readState } = await import('../../ingest/indexing/member-state/read-state.ts')
  return readingOffline(config, (db) => readState(db, did))
}

/** Writes private state, readable only by its owner. */
function save(path: string, state: MemberState): void {
  try {
    writeFileSync(path, `${JSON.stringify(state, null, 2)}\n`, { mode: OWNER_ONLY })
  } catch (error) {
    const { message, hint } = explainAccess(path, 'written', error, 'Or name another file.')
    throw new CliError(message, hint, EXIT.io)
  }
}

async function importState(context: CliContext, file?: string, json?: boolean): Promise<void> {
  const config = context.config()
  const document = read(context.input(file ?? '-'))
  const state = await parsed(document)
  const server = await findServer(config.dataDir)
  if (server) await server.ask('PUT', '/members/state', document)
  else await putOffline(config, state)
  report(json, { did: state.did }, `The private state of ${state.did} is imported.`)
}

async function putOffline(config: Config, state: MemberState): Promise<void> {
  const { applyState } = await import('../../ingest/indexing/member-state/write-state.ts')
  await writingOffline(config, ({ writer }) => writer.commit((ctx) => applyState(ctx, state)))
}

function read(from: string | number): string {
  try {
    return readFileSync(from, 'utf8')
  } catch (error) {
    const name = typeof from === 'number' ? 'Standard input' : from
    const { message, hint } = explainAccess(name, 'read', error, 'Give the path of an export.')
    throw new CliError(message, hint)
  }
}

async function parsed(document: string): Promise<MemberState> {
  const { parseState } = await import('../../ingest/indexing/member-state/document.ts')
  try {
    return parseState(document)
  } catch (error) {
    throw new CliError(
      `This is not a valid export: ${(error as Error).message}.`,
      '`slipstream member export` writes one; docs/MEMBER-STATE.md describes it.',
    )
  }
}
