// Removes files from a package folder that only other machines, a compiler or a debugger need: headers,
// sources, types, maps, other systems' binaries. These are two thirds of the disk space of an installation.

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

type Report = { header: { glibcVersionRuntime?: string } }

const { platform, arch } = process
const isMusl =
  platform === 'linux' &&
  (process.report.getReport() as Report).header.glibcVersionRuntime === undefined
const thisMachine = `${platform}${isMusl ? 'musl' : ''}-${arch}`

/** @param machine - system, C library if not the usual, and processor, as packages name them: `linux-arm64` */
export function dropOtherMachines(packages: string, machine = thisMachine): void {
  for (const name of namesIn(packages).filter((value) => /^node-(linux|darwin|win)-/.test(value)))
    drop(join(packages, name), ['include', 'share', 'CHANGELOG.md'])
  drop(join(packages, 'better-sqlite3'), ['deps', 'src'])
  onlyOurs(join(packages, 'better-sqlite3/prebuilds'), [`${machine}.node`], machine)
  const pictures = [`sharp-${machine}`, `sharp-libvips-${machine}`]
  onlyOurs(join(packages, '@img'), ['colour', ...pictures], machine)
  drop(packages, filesIn(packages).filter(isForDevelopers))
}

/** Type declarations and source maps. */
function isForDevelopers(path: string): boolean {
  return /\.(d\.[cm]?ts|[cm]?js\.map|d\.[cm]?ts\.map)$/.test(path)
}

/** Not those below a link, which leads to a package of our own: `recursive` would follow it. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesIn(join(folder, entry.name)).map((path) => join(entry.name, path))
      : entry.name,
  )
}

/** Keeps everything if no file for this machine is known. */
function onlyOurs(folder: string, names: string[], machine: string): void {
  const [needed = ''] = names.filter((name) => name.includes(machine))
  if (!existsSync(join(folder, needed))) return
  drop(
    folder,
    namesIn(folder).filter((name) => !names.includes(name)),
  )
}

function drop(folder: string, names: string[]): void {
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true })
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

if (import.meta.main) dropOtherMachines(process.argv[2]!, process.argv[3])
