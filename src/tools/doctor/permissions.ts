// Checks access rights: the data folder holds members' private data, the settings file may hold a token, and
// the control socket gives control over the server.

import { readdirSync, type Stats, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isOurs } from '../../data/store/files/data-folder.ts'
import { controlSocketPath } from '../../http/operator/control-socket-path.ts'
import type { DoctorContext } from './context.ts'
import { here } from './cures.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'

const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020
const OTHERS_READ = 0o044
const OTHERS_ENTER = 0o011
/** On Linux. */
const MAX_SOCKET_PATH_BYTES = 103

export function checkPermissions({ config, dotenvPath, server }: DoctorContext): Finding[] {
  const dataDir = resolve(config.dataDir)
  const folder = statOf(dataDir)
  const found = [...aboutRoot(folder, dataDir), ...aboutDotenv(dotenvPath, config.operatorToken)]
  if (!folder)
    return [...found, unchecked(`${dataDir} does not exist yet: the first start creates it`)]
  found.push(...aboutFolder(folder, dataDir), ...aboutFiles(folder, dataDir))
  found.push(...aboutSocket(config.dataDir))
  if (typeof server === 'object' && 'refusal' in server) {
    found.push(wrong(server.refusal, server.fix))
  }
  if (found.every(({ level }) => level === 'good')) {
    found.push(good(`${dataDir} belongs to this user, and only it can write there`))
  }
  return found
}

function aboutRoot(folder: Stats | undefined, dataDir: string): Finding[] {
  if (process.getuid?.() !== 0) return []
  if (folder && folder.uid !== 0) {
    const text = `this runs as root, and ${dataDir} is user ${folder.uid}’s: Slipstream could not write files created now`
    return [notice(text, here.asUser(folder.uid))]
  }
  const fix =
    'Run it as its own user: deploy/install.sh creates one, and deploy/compose.yaml has one.'
  return [notice('this runs as root, which Slipstream does not need', fix)]
}

function aboutDotenv(path: string, operatorToken: string | undefined): Finding[] {
  const file = statOf(path)
  if (!file || operatorToken === undefined || (file.mode & OTHERS_READ) === 0) return []
  const text = `${resolve(path)} holds a token and can be read by others`
  return [wrong(text, `Run \`chmod 600 ${resolve(path)}\`.`)]
}

function aboutFolder({ mode }: Stats, dataDir: string): Finding[] {
  const reported = (mode & 0o777).toString(8)
  const fix = `Run \`chmod 700 ${dataDir}\`.`
  if (mode & OTHERS_WRITE) return [wrong(`others can write in ${dataDir} (mode ${reported})`, fix)]
  if (mode & GROUP_WRITES)
    return [notice(`its group can write in ${dataDir} (mode ${reported})`, fix)]
  if (mode & OTHERS_ENTER && readableBelow(dataDir)) {
    const text = `other users of this machine can read ${dataDir} (mode ${reported}), where members’ mutes and drafts are`
    return [notice(text, fix)]
  }
  return []
}

function readableBelow(dataDir: string): boolean {
  const modes = oursIn(dataDir).map((name) => statOf(join(dataDir, name))?.mode ?? 0)
  return modes.some((mode) => (mode & OTHERS_READ) !== 0)
}

/** None if this user may not look. */
function oursIn(dataDir: string): string[] {
  try {
    return readdirSync(dataDir).filter(isOurs)
  } catch {
    return []
  }
}

/** One user must be able to write all files, regardless of who created them. */
function aboutFiles(folder: Stats, dataDir: string): Finding[] {
  let names: string[]
  try {
    names = readdirSync(dataDir).filter(isOurs)
  } catch (error) {
    const text = `${dataDir} can’t be read: ${(error as NodeJS.ErrnoException).code}`
    return [
      wrong(
        text,
        'Run this as the user that runs Slipstream, for example with `sudo -u slipstream`.',
      ),
    ]
  }
  const strange = names.filter((name) => {
    const file = statOf(join(dataDir, name))
    return file !== undefined && file.uid !== folder.uid
  })
  if (strange.length === 0) return []
  const text = `${strange.slice(0, 3).join(', ')} in ${dataDir} belong to a different user than the folder`
  return [wrong(text, `Run \`sudo chown -R ${folder.uid}:${folder.gid} ${dataDir}\`.`)]
}

function aboutSocket(dataDir: string): Finding[] {
  const path = controlSocketPath(dataDir)
  const bytes = Buffer.byteLength(path)
  if (bytes > MAX_SOCKET_PATH_BYTES) {
    const text = `the control socket’s path has ${bytes} bytes, but the limit is ${MAX_SOCKET_PATH_BYTES}: the command line can’t reach a running server`
    return [wrong(text, 'Set SLIPSTREAM_DATA_DIR to a shorter path.')]
  }
  const socket = statOf(path)
  if (!socket || (socket.mode & 0o077) === 0) return []
  const text = `others can open ${path}, and so do anything an operator may`
  return [wrong(text, `Run \`chmod 600 ${resolve(path)}\`.`)]
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
